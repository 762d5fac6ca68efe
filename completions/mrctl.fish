# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fish completion for mrctl.
#
# Everything comes from the program: commands and options from "mrctl [COMMAND] --help", memory kinds,
# access flags, columns and other words from "mrctl help TOPIC".  The word that the help shows for an
# option's value (SIZE, FLAGS) decides how the value is completed.

# Reads the help on stdin and prints "LEFT<tab>DESCRIPTION" for the entries below the title $argv[1], or for
# all options if that is "".
function __mrctl_entries
    set -l inside no
    set -l entry
    while read -l line
        if string match -qr '^[A-Z].*:$' -- $line
            set inside (string match -q -- "$argv[1]*" $line; and echo yes; or echo no)
        else if not string match -q '  *' -- $line
            set inside no
        else if test $inside = no
            continue
        else if string match -qr '^ {8}' -- $line # a description continues
            set entry[-1] (string join ' ' -- $entry[-1] (string trim -- $line))
        else if test -z "$argv[1]"; and not string match -q -- '-*' (string trim -- $line)
            set inside no
        else
            set -a entry (string trim -- $line | string replace -r ' {2,}|$' \t)
        end
    end
    test -z "$entry"; or string replace -r '\t ' \t -- $entry
end

function __mrctl_help
    mrctl $argv --help 2>/dev/null
end

function __mrctl_topic
    mrctl help $argv 2>/dev/null
end

# Completes the last item of the list $argv[1] with the entries on stdin.
function __mrctl_list
    set -l done (string match -r '.*,' -- $argv[1])
    while read -l entry
        contains -- (string split -m 1 \t -- $entry)[1] (string split , -- $done)
        or echo "$done$entry"
    end
end

function __mrctl_memory
    __mrctl_topic memory | __mrctl_entries 'Memory kinds' | while read -l -d \t kind text
        if set -l prefix (string replace -rf 'PATH$' '' -- $kind)
            if string match -q -- "$prefix*" $argv[1]
                set -l path (string replace -- $prefix '' $argv[1])
                __fish_complete_path $path | string replace -r '^' -- $prefix
            else
                printf '%s\t%s\n' $prefix $text
            end
        else
            # hugetlb[:2M|:1G], dm[:SIZE]
            set -l part (string split '[' -- (string trim -r -c ']' -- $kind))
            printf '%s\t%s\n' $part[1] $text
            for size in (string split '|' -- $part[2])
                printf '%s\t%s\n' $part[1](string replace -r 'SIZE$' '' -- $size) $text
            end
        end
    end
end

# Prints the names of all in the session: "1" (a region), "buf" (its name), "pd:default"
function __mrctl_session
    test -n "$MRCTL_SESSION"; or return
    mrctl -j -o id,name stat 2>/dev/null |
        string match -ar '"id":\d+|"name":"[^"]*"(?:,"handle")?' |
        string replace -r '^"id":' '' |
        string replace -r '^"name":"(.*)","handle"$' 'pd:$1' |
        string replace -r '^"name":"(.*)"$' '$1'
end

# Prints the keys of regions where the word $argv[1] begins with "lk" or "rk": "rkey:0x110c"
function __mrctl_keys
    test -n "$MRCTL_SESSION"; or return
    set -l kind (string match -r '^[lr](?=k)' -- $argv[1])key
    mrctl -n -o $kind stat 2>/dev/null | string match -r '^0x.*' | string replace -r '^' $kind:
end

# Prints the sessions that this user may join: "pid:12"
function __mrctl_sessions
    mrctl -n -o session session --list 2>/dev/null
end

# Completes a fault of the simulated HCA: "reg_mr=ENOMEM"
function __mrctl_fault
    if set -l call (string match -r '^[^=]*=' -- $argv[1])
        begin
            __mrctl_topic simulator | __mrctl_entries Actions | string replace -r '^([a-z-]+:?|)[A-Z]*\t' '$1\t'
            __mrctl_errnos
        end | string match -rv '^\t' | string replace -r '^' $call
    else
        __mrctl_topic simulator | __mrctl_entries Calls | string replace \t =\t
    end
end

function __mrctl_errnos
    string join \n EACCES EAGAIN EBUSY EFAULT EINVAL EIO ENODEV ENOENT ENOMEM ENOSPC EOPNOTSUPP EPERM EPROTONOSUPPORT
end

function __mrctl_devices
    set -q SYSFS_PATH; or set -l SYSFS_PATH /sys
    set -l devices $SYSFS_PATH/class/infiniband/*
    string replace -r '.*/' '' -- $devices
end

# __mrctl_columns VALUE COMMAND: completes a list of columns, of those that the command prints with its options, also
# "--system --by unit"
function __mrctl_columns
    set -l title Columns
    if test -n "$argv[2]"
        set title 'Columns for'
        set -l help (__mrctl_topic columns $argv[2])
        set -l view
        set -l before
        for word in (commandline -opc)
            string match -q -- "Columns of $argv[2] "(string join -- ' ' $view $before $word)",*" $help
            and set -a view $before $word
            set before
            test "$word" != --by; or set before --by
        end
        test -z "$view"; or set title "Columns of $argv[2] $view,"
    end
    __mrctl_topic columns $argv[2] | __mrctl_entries $title | __mrctl_list $argv[1]
end

# __mrctl_choices OPTION COMMAND: prints the words that the help lists for the value of an option:
# "bad (default), warn"
function __mrctl_choices
    for entry in (__mrctl_help $argv[2] | __mrctl_entries '')
        set -l part (string split \t -- $entry)
        test "$part[1]" = "$argv[1]"; or continue
        set -l listed (string match -r -- '([a-z]+) \(default\)((?:, [a-z]+)*)' $part[2])
        and string split -n ', ' -- "$listed[2]$listed[3]"
    end
end

# __mrctl_value OPTION VALUE COMMAND: completes VALUE.  OPTION is as in the help: "-s, --size SIZE"
function __mrctl_value
    switch $argv[1]
        case '*--device NAME'
            __mrctl_devices
        case '*--session WHERE'
            __mrctl_sessions
        case '*--pid PID'
            __fish_complete_pids
        case '* SPEC'
            __mrctl_fault $argv[2]
        case '*--numa NODE'
            set -l nodes /sys/devices/system/node/node*
            string replace -rf '.*/node(\d+)$' '$1' -- $nodes
        case '*--pd NAME'
            __mrctl_session | string replace -f pd: ''
        case '*--profile PROFILE'
            __mrctl_topic simulator | __mrctl_entries Profiles
        case '*--kernel KERNEL'
            __mrctl_topic simulator | __mrctl_entries Kernels
        case '*--via *'
            string join \n library kernel
        case '* KIND'
            __mrctl_memory $argv[2..]
        case '* SOURCE'
            if string match -q 'heap:*' -- $argv[2]
                set -l heaps /dev/dma_heap/*
                string replace -r '.*/' heap: -- $heaps
            else
                __mrctl_topic dmabuf | __mrctl_entries 'Dma-buf sources' |
                    string replace -r '^([a-z]+:)[A-Z]+' '$1'
            end
        case '* FLAG,...'
            begin
                string match -q '*,*' -- $argv[2]; or printf 'none\tno flag at all\n'
                __mrctl_topic access | __mrctl_entries 'Access flags'
            end | __mrctl_list $argv[2]
        case '* ADVICE'
            __mrctl_topic advice | __mrctl_entries Advice | __mrctl_list $argv[2]
        case '* CHANGE,...'
            string join \n translation pd access none | __mrctl_list $argv[2]
        case '* ID,...'
            __mrctl_topic checks | __mrctl_entries Checks | __mrctl_list $argv[2]
        case '* COLUMN,...' '* COLUMN'
            __mrctl_columns $argv[2] $argv[3]
        case '*--call CALL'
            mrctl -n -o calls explain --list 2>/dev/null | string replace -a '\x20' ' ' |
                string split -n ' ' | string match -r '^(?:ibv|mlx5dv)_.*' | sort -u
        case '* ANSWER,...'
            # ENOMEM:MR-MEMLOCK
            if set -l expected (string match -r -- '^(.*,|)([A-Za-z0-9]+):[^,]*$' $argv[2])
                mrctl -n -o id explain $expected[3] 2>/dev/null |
                    string replace -r '^' -- "$expected[2]$expected[3]:"
                return
            end
            begin
                echo ok
                __mrctl_errnos
            end | __mrctl_list $argv[2]
        case '* FILE' '* [FILE]'
            __fish_complete_path $argv[2]
        case '* DIR'
            __fish_complete_directories $argv[2]
        case '*'
            __mrctl_choices $argv[1] $argv[3]
    end
end

# __mrctl_waiting WORD ENTRY...: prints the option whose value is the word after WORD
function __mrctl_waiting
    set -l left (string replace -r '\t.*' '' -- $argv[2..])
    if string match -q -- '--*' $argv[1]
        # A command's flag may have the name of a global option that takes a value.
        contains -- $argv[1] $left; and return
        string match -r -- '^.*'(string escape --style=regex -- $argv[1])' .+$' $left
        return
    end
    # Letters may be joined (-nj); the first that takes a value is the last.
    set -l letters (string split '' -- (string sub -s 2 -- $argv[1]))
    for i in (seq (count $letters))
        set -l option (string match -- "-$letters[$i], *" $left)
        if string match -q -- '* --* *' $option
            test $i -eq (count $letters); and echo $option
            return
        end
    end
end

function __mrctl_complete
    set -l command
    set -l waiting
    set -l operand no
    set -l usage
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l entries (__mrctl_help | __mrctl_entries '')

    for i in (seq 2 (count $words))
        set -l word $words[$i]
        if test -n "$waiting"
            set waiting
        else if test "$word" = --
            set operand yes
        else if string match -q -- '-?*' $word
            set waiting (__mrctl_waiting $word $entries)
        else if test -z "$command"
            set command $word
            set usage (__mrctl_help $command)[1]
            set -a entries (__mrctl_help $command | __mrctl_entries '')
        else
            set operand yes
        end
        if test $operand = yes; and string match -q '*[-- CMD*' -- $usage
            test "$word" = --; and set i (math $i + 1)
            __fish_complete_subcommand --commandline $words[$i..] "$current"
            return
        end
    end

    if test -n "$waiting"
        __mrctl_value $waiting "$current" $command
    else if string match -q -- '--*=*' $current
        set -l option (string split -m 1 = -- $current)
        set waiting (__mrctl_waiting $option[1] $entries)
        test -z "$waiting"
        or __mrctl_value $waiting "$option[2]" $command | string replace -r '^' -- "$option[1]="
    else if string match -q -- '-*' $current
        for entry in $entries
            set -l part (string split \t -- $entry)
            for name in (string match -ar -- '(?<![\w-])--?[a-zA-Z][a-z-]*' $part[1])
                printf '%s\t%s\n' $name $part[2]
            end
        end
    else if test -z "$command"
        __mrctl_help | __mrctl_entries Commands
    else if test $command = help
        __mrctl_help | __mrctl_entries Commands
        __mrctl_help | __mrctl_entries Topics
    else if test $command = session; and contains -- --end $words
        __mrctl_sessions
    else if string match -q '*[-- CMD*' -- $usage
        __fish_complete_subcommand --commandline "$current"
    else if string match -q '*DEVICE*' -- $usage; and string match -qr -- '^--(device|probe|system)$' $words
        __mrctl_devices
    else if string match -q '*REGION*' -- $usage; and not contains -- --host $words
        if string match -qr '^[lr]k' -- $current
            __mrctl_keys $current
            return
        end
        # dereg takes protection domains as well.
        __mrctl_session | string match -v (test $command = dereg; and echo ''; or echo 'pd:*')
    else if string match -q '*CAUSE*' -- $usage
        __mrctl_topic causes | __mrctl_entries Causes
    else if string match -q '*CALL...*' -- $usage
        set -l listed (__mrctl_help $command | string join ' ' | string match -r 'each CALL \(([a-z, -]+);')
        string split -n ', ' -- $listed[2]
        __fish_complete_path $current
    else if string match -q '*FILE*' -- $usage
        __fish_complete_path $current
    end
end

complete -c mrctl -f -a '(__mrctl_complete)'
