# cmake -DFROM=FOLDER -DTO=FOLDER -P update.cmake copies the files of FROM to TO. Files that do not differ keep their
# time, so after a change of the generator only the files that it changed are compiled again.
file(GLOB_RECURSE new RELATIVE ${FROM} ${FROM}/*)
file(GLOB_RECURSE old RELATIVE ${TO} ${TO}/*)
list(REMOVE_ITEM old stamp ${new})
foreach(name ${old})
  file(REMOVE ${TO}/${name})
endforeach()
foreach(name ${new})
  configure_file(${FROM}/${name} ${TO}/${name} COPYONLY)
endforeach()
