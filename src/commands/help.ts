import { Args } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { loadCommands } from '../cli/catalog/command-catalog.ts'
import { helpOn, helpStyle } from '../cli/help/help.ts'

export interface HelpResult {
  help: string
}

export default class Help extends BaseCommand {
  static override summary = 'Shows help for a command, or an overview.'
  static override group = 'tools' as const
  static override args = {
    command: Args.string({
      description: 'Command to show help for; without it, an overview.',
      multiple: true,
    }),
  }
  static override examples = [
    '<%= config.bin %> help create',
    '<%= config.bin %> help config set',
    '<%= config.bin %> help exit-codes',
  ]

  async run(): Promise<HelpResult> {
    const { args } = await this.parse(Help)
    const words = (args.command ?? []).flatMap((word) => word.split(':'))
    const help = helpOn(words, await loadCommands(), helpStyle(this.config.bin, process.stdout))
    this.log(help.trimEnd())
    return { help }
  }
}
