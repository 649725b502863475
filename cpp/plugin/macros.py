#!/usr/bin/env python3
"""cpp/plugin/macros.py > cpp/plugin/macros.inc: the macros of this machine's headers, as the tables of reserved.cc.

It reads the headers of glibc (libc6-dev), of musl (musl-dev) and of the BSDs' library (libbsd-dev), as g++ does, and
the words below. A macro that starts with an underscore is left out: no name of a schema may be one.

  kRenamed   a name that programs meet often: the generated name gets an underscore. All macros of POSIX's headers; of
             other headers of the system those for constants, which are object-like and not in lower case; and flags
             that build scripts define (-DDEBUG).
  kGuarded   a name that few programs meet: it stays, and generated code undefines the macro while it declares the name.
"""
import re
import subprocess
import sys
from pathlib import Path

POSIX = """aio.h arpa/inet.h assert.h cpio.h ctype.h dirent.h dlfcn.h endian.h errno.h fcntl.h fenv.h float.h fmtmsg.h
fnmatch.h ftw.h glob.h grp.h iconv.h inttypes.h langinfo.h libgen.h limits.h locale.h math.h monetary.h mqueue.h ndbm.h
net/if.h netdb.h netinet/in.h netinet/tcp.h nl_types.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h
setjmp.h signal.h spawn.h stdarg.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h stropts.h sys/ipc.h sys/mman.h
sys/msg.h sys/resource.h sys/select.h sys/sem.h sys/shm.h sys/socket.h sys/stat.h sys/statvfs.h sys/sysmacros.h
sys/time.h sys/times.h sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h syslog.h tar.h termios.h time.h uchar.h
ulimit.h unistd.h utime.h utmpx.h wchar.h wctype.h wordexp.h""".split()
SYSTEM = ["alloca.h", "err.h", "error.h", "getopt.h", "ifaddrs.h", "malloc.h", "mntent.h", "net/*.h", "netinet/*.h",
          "netpacket/*.h", "paths.h", "pty.h", "sys/*.h", "sysexits.h", "syscall.h", "ucontext.h", "utmp.h", "values.h"]
# Of devices, of old interfaces, and of protocols whose words are short.
RARE = ["ar.h", "arpa/*.h", "bsd/*.h", "bsd/sys/*.h", "elf.h", "fts.h", "link.h", "net/if_ppp.h", "net/if_shaper.h",
        "net/if_slip.h", "net/ppp*.h", "netinet/if_fddi.h", "netinet/if_tr.h", "resolv.h", "scsi/*.h", "sys/auxv.h",
        "sys/debugreg.h", "sys/dir.h", "sys/elf.h", "sys/kd.h", "sys/mtio.h", "sys/pci.h", "sys/procfs.h",
        "sys/queue.h", "sys/raw.h", "sys/reg.h", "sys/soundcard.h", "sys/ttydefaults.h", "sys/vt.h"]
# Flags, and what <math.h> and common headers define elsewhere.
FLAGS = "DEBUG ERROR NDEBUG TRACE DOMAIN FALSE OVERFLOW TRUE UNDERFLOW isinf isnan signbit".split()
# Words that other systems and libraries define: Windows, macOS, X11, Qt, and flags whose names are not common here.
OTHERS = """ABSOLUTE ALTERNATE BOOL CALLBACK CONST CREATE_NEW CopyFile CreateDirectory CreateEvent CreateFile CreateProcess
CreateWindow DELETE DIFFERENCE DOUBLE_CLICK DUPLICATE DeleteFile DrawText ERROR_BUSY ERROR_CANCELLED ERROR_INSTALL_FAILED
ERROR_INVALID_DATA ERROR_NOT_FOUND ERROR_NOT_READY ERROR_NOT_SUPPORTED ERROR_SUCCESS ERROR_TIMEOUT FAILED FAR
FILE_TYPE_UNKNOWN FindResource FindWindow GetClassName GetCommandLine GetComputerName GetCurrentDirectory GetCurrentTime
GetFileAttributes GetFreeSpace GetJob GetMessage GetObject GetProp GetUserName GetVersionEx HALFTONE IGNORE IN INFINITE
INPUT_KEYBOARD INPUT_MOUSE INTERFACE INVALID_HANDLE LoadImage LoadLibrary MoveFile NEAR NOERROR NO_DATA NO_ERROR OPAQUE
OPTIONAL OUT PASCAL PLANES PURE PostMessage REASON_UNKNOWN REGISTERED RELATIVE RGB RemoveDirectory ReportEvent SERVICE_DISABLED
SERVICE_RUNNING SERVICE_STOPPED SEVERITY_ERROR SEVERITY_SUCCESS STATUS_PENDING STATUS_TIMEOUT STRICT SUCCEEDED SYNCHRONIZE
SendMessage SetProp StartService TECHNOLOGY TEXT THIS TRANSPARENT UNALIGNED VOID WINDING Yield cdecl environ far hyper
interface max min near pascal small timezone
NO YES check debug nil Nil require verify htonl htons ntohl ntohs
Above Always Below Bool Complex Convex CursorShape False GrayScale None Opposite Status Success True Unsorted
emit foreach forever signals slots
LINUX PRODUCTION PROFILE RELEASE TEST UNICODE UNIX VERBOSE VERSION WIN32""".split()

GCC = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
MUSL = Path("/usr/include/x86_64-linux-musl")
# The folders of each C library's headers, and the options with which g++ reads them.
LIBRARIES = [([Path("/usr/include"), Path("/usr/include/x86_64-linux-gnu")], []),
             ([MUSL], ["-nostdinc", "-nostdinc++", "-isystem", str(MUSL), "-isystem", GCC])]


def defined(header, options):
    """The macros that a header defines: name -> whether it is object-like."""
    found = subprocess.run(["g++", "-x", "c++", "-std=gnu++17", "-dM", "-E", *options, "-"], capture_output=True, text=True,
                           input=f"#include <sys/types.h>\n#include <{header}>\n", check=False)
    macros = {}
    for line in found.stdout.splitlines() if found.returncode == 0 else []:
        name, arguments = re.match(r"#define ([A-Za-z0-9_]+)(\()?", line).groups()
        if not name.startswith("_"):
            macros[name] = arguments is None
    return macros


def macros_of(patterns, left_out=()):
    """The macros of the headers that patterns name, without those of headers that left_out names."""
    macros = {}
    for folders, options in LIBRARIES:
        for folder in folders:
            headers = {h.relative_to(folder).as_posix() for p in patterns for h in folder.glob(p)}
            headers -= {h.relative_to(folder).as_posix() for p in left_out for h in folder.glob(p)}
            for header in sorted(headers):
                macros.update(defined(header, options))
    return macros


def without_c_functions(names):
    """Without the names that the C++ headers undefine, because the library has functions of these names."""
    headers = "cassert cctype cmath csetjmp cstdio cstdlib cstring ctime cwchar cwctype".split()
    path = subprocess.run(["g++", "-x", "c++", "-M", "-"], capture_output=True, text=True, check=True,
                          input="".join(f"#include <{h}>\n" for h in headers)).stdout
    gone = set()
    for file in re.findall(r"\S+/c\+\+/\S+", path):
        gone |= set(re.findall(r"#\s*undef (\w+)", Path(file).read_text(encoding="utf-8", errors="replace")))
    return {n for n in names if n not in gone}


def table(name, names):
    """A sorted table: a string for each first letter, whose names have a blank on both sides."""
    print(f"constexpr std::string_view {name}[] = {{")
    for letter in sorted({n[0] for n in names}):
        line = '    "'
        for macro in sorted(n for n in names if n[0] == letter):
            if len(line) + len(macro) > 116:
                print(line + '"')
                line = '    "'
            line += " " + macro
        print(line + ' ",')
    print("};")


def main():
    posix = macros_of(POSIX)
    system = macros_of(SYSTEM, RARE)
    renamed = without_c_functions(posix) | set(FLAGS)
    renamed |= {n for n, is_object in system.items() if is_object and not n[0].islower()}
    rare = macros_of(RARE)
    guarded = without_c_functions(set(system) | set(rare)) | set(OTHERS)
    guarded -= renamed
    print("// Written by plugin/macros.py. clang-format off")
    table("kRenamed", renamed)
    table("kGuarded", guarded)
    print(f"{len(renamed)} renamed, {len(guarded)} guarded", file=sys.stderr)


main()
