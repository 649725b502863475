package lazyproto

// The getters below are those of the field with a number: result.StringValue(1) is StringValue of result.GetFieldData(1).

// BoolValue is [FieldData.BoolValue] of a field.
func (r *DecodeResult) BoolValue(tag uint32) (bool, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return false, err
	}
	return f.BoolValue()
}

// BoolValues is [FieldData.BoolValues] of a field.
func (r *DecodeResult) BoolValues(tag uint32) ([]bool, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.BoolValues()
}

// Int32Value is [FieldData.Int32Value] of a field.
func (r *DecodeResult) Int32Value(tag uint32) (int32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.Int32Value()
}

// Int32Values is [FieldData.Int32Values] of a field.
func (r *DecodeResult) Int32Values(tag uint32) ([]int32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.Int32Values()
}

// Int64Value is [FieldData.Int64Value] of a field.
func (r *DecodeResult) Int64Value(tag uint32) (int64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.Int64Value()
}

// Int64Values is [FieldData.Int64Values] of a field.
func (r *DecodeResult) Int64Values(tag uint32) ([]int64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.Int64Values()
}

// UInt32Value is [FieldData.UInt32Value] of a field.
func (r *DecodeResult) UInt32Value(tag uint32) (uint32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.UInt32Value()
}

// UInt32Values is [FieldData.UInt32Values] of a field.
func (r *DecodeResult) UInt32Values(tag uint32) ([]uint32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.UInt32Values()
}

// UInt64Value is [FieldData.UInt64Value] of a field.
func (r *DecodeResult) UInt64Value(tag uint32) (uint64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.UInt64Value()
}

// UInt64Values is [FieldData.UInt64Values] of a field.
func (r *DecodeResult) UInt64Values(tag uint32) ([]uint64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.UInt64Values()
}

// SInt32Value is [FieldData.SInt32Value] of a field.
func (r *DecodeResult) SInt32Value(tag uint32) (int32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.SInt32Value()
}

// SInt32Values is [FieldData.SInt32Values] of a field.
func (r *DecodeResult) SInt32Values(tag uint32) ([]int32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.SInt32Values()
}

// SInt64Value is [FieldData.SInt64Value] of a field.
func (r *DecodeResult) SInt64Value(tag uint32) (int64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.SInt64Value()
}

// SInt64Values is [FieldData.SInt64Values] of a field.
func (r *DecodeResult) SInt64Values(tag uint32) ([]int64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.SInt64Values()
}

// Fixed32Value is [FieldData.Fixed32Value] of a field.
func (r *DecodeResult) Fixed32Value(tag uint32) (uint32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.Fixed32Value()
}

// Fixed32Values is [FieldData.Fixed32Values] of a field.
func (r *DecodeResult) Fixed32Values(tag uint32) ([]uint32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.Fixed32Values()
}

// Fixed64Value is [FieldData.Fixed64Value] of a field.
func (r *DecodeResult) Fixed64Value(tag uint32) (uint64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.Fixed64Value()
}

// Fixed64Values is [FieldData.Fixed64Values] of a field.
func (r *DecodeResult) Fixed64Values(tag uint32) ([]uint64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.Fixed64Values()
}

// SFixed32Value is [FieldData.SFixed32Value] of a field.
func (r *DecodeResult) SFixed32Value(tag uint32) (int32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.SFixed32Value()
}

// SFixed32Values is [FieldData.SFixed32Values] of a field.
func (r *DecodeResult) SFixed32Values(tag uint32) ([]int32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.SFixed32Values()
}

// SFixed64Value is [FieldData.SFixed64Value] of a field.
func (r *DecodeResult) SFixed64Value(tag uint32) (int64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.SFixed64Value()
}

// SFixed64Values is [FieldData.SFixed64Values] of a field.
func (r *DecodeResult) SFixed64Values(tag uint32) ([]int64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.SFixed64Values()
}

// Float32Value is [FieldData.Float32Value] of a field.
func (r *DecodeResult) Float32Value(tag uint32) (float32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.Float32Value()
}

// Float32Values is [FieldData.Float32Values] of a field.
func (r *DecodeResult) Float32Values(tag uint32) ([]float32, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.Float32Values()
}

// Float64Value is [FieldData.Float64Value] of a field.
func (r *DecodeResult) Float64Value(tag uint32) (float64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return 0, err
	}
	return f.Float64Value()
}

// Float64Values is [FieldData.Float64Values] of a field.
func (r *DecodeResult) Float64Values(tag uint32) ([]float64, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.Float64Values()
}

// StringValue is [FieldData.StringValue] of a field.
func (r *DecodeResult) StringValue(tag uint32) (string, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return "", err
	}
	return f.StringValue()
}

// StringValues is [FieldData.StringValues] of a field.
func (r *DecodeResult) StringValues(tag uint32) ([]string, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.StringValues()
}

// BytesValue is [FieldData.BytesValue] of a field.
func (r *DecodeResult) BytesValue(tag uint32) ([]byte, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.BytesValue()
}

// BytesValues is [FieldData.BytesValues] of a field.
func (r *DecodeResult) BytesValues(tag uint32) ([][]byte, error) {
	var f FieldData
	if _, err := r.field(&f, tag); err != nil {
		return nil, err
	}
	return f.BytesValues()
}
