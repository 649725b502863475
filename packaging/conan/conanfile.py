"""Conan's recipe of hotpb: the headers, the generator, and the package for find_package(hotpb) with hotpb_generate().

conandata.yml names the archive of a release and its sha256; tools/packages writes it.
"""
from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get


class Hotpb(ConanFile):
    name = "hotpb"
    version = "0.1.0"
    description = "Protocol Buffers on hot paths: append-only writers and views, headers only, and their generator"
    license = "Apache-2.0"
    homepage = url = "https://github.com/hotpb/hotpb"
    topics = ("protobuf", "serialization", "header-only", "code-generation")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "header-library"  # nothing to link; the generator is found by the package's own CMake files

    def layout(self):
        cmake_layout(self, src_folder="src")

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 17)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(variables={"HOTPB_INSTALL": "ON"})
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, self.package_folder + "/licenses")

    def package_id(self):
        # The contents of the package do not depend on the consumer's compiler and build type.
        del self.info.settings.compiler
        del self.info.settings.build_type

    def package_info(self):
        # find_package(hotpb) finds our own package file, which has hotpb_generate().
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/hotpb"]
        self.cpp_info.libdirs = []
