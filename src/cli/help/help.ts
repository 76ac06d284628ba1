import { processEnvironment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { CommandInfo } from '../catalog/command-info.ts'
import { renderCommandHelp } from './command-help.ts'
import { renderExitCodes } from './exit-codes-help.ts'
import { isTopic, matchWords } from '../catalog/find-command.ts'
import { HELP_WIDTH, type HelpStyle } from './help-layout.ts'
import { renderRootHelp, renderTopicHelp } from './root-help.ts'
import { canColor } from '../terminal/terminal.ts'

/** On a command, a topic, or without words on everything. @throws {VplaneError} `USAGE` when there is none. */
export function helpOn(
  words: readonly string[],
  commands: readonly CommandInfo[],
  style: HelpStyle,
): string {
  const [first] = words
  if (first === undefined) {
    return renderRootHelp(commands, style)
  }
  if (first === 'exit-codes') {
    return renderExitCodes(style.width ?? HELP_WIDTH)
  }
  const match = matchWords(words, commands)
  if (match !== undefined) {
    return renderCommandHelp(match.command, style)
  }
  if (isTopic(first, commands)) {
    return renderTopicHelp(first, commands, style)
  }
  throw new VplaneError('USAGE', `there is no help on "${words.join(' ')}"`, {
    hints: [`${style.bin} help`],
  })
}

/** Prints the help on a command or topic, such as `config:get`; undefined is everything. */
export function printHelp(
  about: string | undefined,
  commands: readonly CommandInfo[],
  bin: string,
): void {
  const { stdout } = process
  stdout.write(helpOn(about?.split(':') ?? [], commands, helpStyle(bin, stdout)))
}

/** The style that suits a stream: as wide as its terminal, but not wider than reads well. */
export function helpStyle(bin: string, stream: { isTTY?: boolean; columns?: number }): HelpStyle {
  return {
    bin,
    width: Math.min(stream.columns || HELP_WIDTH, HELP_WIDTH),
    color: canColor(stream, processEnvironment()),
  }
}
