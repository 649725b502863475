# cmake -DDEPFILE=x.fds.d -P HotpbDepfile.cmake: escapes blanks, # and $ in the names of a list that protoc wrote with
# --dependency_out, in the way of Make, which Ninja and CMake read too. protoc escapes nothing:
#
#   /a b/x.fds: /a b/one.proto\          becomes    /a\ b/x.fds: \
#    /a b/two.proto                                   /a\ b/one.proto \
#                                                     /a\ b/two.proto
string(REGEX REPLACE "\\.d$" "" target "${DEPFILE}")
file(READ "${DEPFILE}" list)
string(LENGTH "${target}: " start)
string(SUBSTRING "${list}" ${start} -1 list)
string(REPLACE "\\\n " "\n" list "${list}")
foreach(name target list)
  string(REPLACE "$" "$$" ${name} "${${name}}")
  string(REPLACE "#" "\\#" ${name} "${${name}}")
  string(REPLACE " " "\\ " ${name} "${${name}}")
endforeach()
string(REPLACE "\n" " \\\n  " list "${list}")
file(WRITE "${DEPFILE}" "${target}: \\\n  ${list}\n")
