# PowerShell completion for vplane
#
# In this shell:  vplane completion powershell | Out-String | Invoke-Expression
# In every shell: put that line into the file that $PROFILE names

Register-ArgumentCompleter -Native -CommandName vplane -ScriptBlock {
    param($word, $ast, $position)
    $before = @($ast.CommandElements | Select-Object -Skip 1 |
            Where-Object { $_.Extent.EndOffset -lt $position } |
            ForEach-Object { $_.Extent.Text })
    vplane __complete "--word=$word" -- @before 2>$null | ForEach-Object {
        if ($_ -notmatch '^:(0|4|6|16)$') {
            $value, $text = $_ -split [char]9, 2
            if (-not $text) { $text = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
        }
    }
}
