import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import {
  COMPLETION_SHELLS,
  type CompletionShell,
  completionScript,
} from '../cli/completion/completion-script.ts'

export interface CompletionResult {
  shell: CompletionShell
  script: string
}

export default class Completion extends BaseCommand {
  static override summary = 'Prints a completion script for your shell.'
  static override description =
    'The first lines of the script show how to install it. It completes commands, flags, planes, contexts and versions.'
  static override group = 'tools' as const
  static override args = {
    shell: Args.custom({
      parse: async (text) => COMPLETION_SHELLS.find((shell) => shell === text) ?? 'bash',
    })({
      description: 'The shell to complete in.',
      options: [...COMPLETION_SHELLS],
      required: true,
    }),
  }
  static override examples = [
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion zsh > ~/.zsh/completions/_vplane',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/vplane.fish',
  ]

  async run(): Promise<CompletionResult> {
    const { args } = await this.parse(Completion)
    const script = completionScript(args.shell)
    this.log(script.trimEnd())
    return { shell: args.shell, script }
  }
}
