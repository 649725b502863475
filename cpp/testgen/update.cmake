# cmake -DFROM=FOLDER -DTO=FOLDER -P update.cmake: makes TO have the files of FROM. Those that are the same keep their time:
# after a change of the generator only what it writes differently is compiled again.
file(GLOB_RECURSE new RELATIVE ${FROM} ${FROM}/*)
file(GLOB_RECURSE old RELATIVE ${TO} ${TO}/*)
list(REMOVE_ITEM old stamp ${new})
foreach(name ${old})
  file(REMOVE ${TO}/${name})
endforeach()
foreach(name ${new})
  configure_file(${FROM}/${name} ${TO}/${name} COPYONLY)
endforeach()
