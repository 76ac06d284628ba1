# fish completion for vplane
#
# In this shell:  vplane completion fish | source
# In every shell: vplane completion fish > ~/.config/fish/completions/vplane.fish

function __vplane_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l word (commandline -ct)
    for line in (vplane __complete --word="$word" -- $words 2>/dev/null)
        switch $line
            case ':4' ':6'
                continue
            case ':0'
                __fish_complete_path "$word"
            case ':16'
                __fish_complete_directories "$word"
            case '*'
                echo $line
        end
    end
end

complete -c vplane -f -a '(__vplane_complete)'
