import { type CommandInfo, callOf, type FlagInfo, usageOf } from '../catalog/command-info.ts'
import { NO_BREAK, wrap } from '../terminal/wrap.ts'
import { HELP_WIDTH, type HelpStyle, section, twoColumns } from './help-layout.ts'

const HELP_FLAG: FlagInfo = { type: 'boolean', char: 'h', summary: 'Shows this help.' }

/** The help of one command, without a line wider than asked for. */
export function renderCommandHelp(
  command: CommandInfo,
  { bin, width = HELP_WIDTH, color = false }: HelpStyle,
): string {
  const aliases = command.aliases?.map((id) => `  ${callOf({ id }, bin)}`) ?? []
  const blocks = [
    wrap(fill(command.summary ?? '', bin), width).join('\n'),
    ...section('Usage', wrapIndented(usageOf(command, bin), width), color),
    ...section('Arguments', argumentLines(command, width), color),
    ...flagSections(command, { width, color }),
    ...section('Description', wrapIndented(fill(command.description ?? '', bin), width), color),
    ...section('Aliases', aliases, color),
    ...section('Examples', exampleLines(command, { bin, width }), color),
    `Exit codes: ${bin} help exit-codes`,
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function argumentLines(command: CommandInfo, width: number): string[] {
  const rows = Object.entries(command.args ?? {})
    .filter(([, arg]) => arg.hidden !== true)
    .map(([name, arg]) => {
      const options = arg.options === undefined ? '' : ` One of: ${arg.options.join(', ')}.`
      const dots = arg.multiple === true ? '...' : ''
      return [`${name.toUpperCase()}${dots}`, `${arg.description ?? ''}${options}`] as const
    })
  return twoColumns(rows, { width })
}

function flagSections(
  command: CommandInfo,
  { width, color }: { width: number; color: boolean },
): string[] {
  // What every command has comes last.
  const { json, ...own } = command.flags ?? {}
  const hasJson = json !== undefined && json.hidden !== true
  const common = { ...(hasJson && { json }), help: HELP_FLAG }
  const shown = Object.entries(own).filter(([, flag]) => flag.hidden !== true)
  const groups = Map.groupBy(shown, ([, flag]) => flag.helpGroup ?? '')
  const main = groups.get('') ?? []
  groups.delete('')
  const lastTitle = shown.length > 0 ? 'Common flags' : 'Flags'
  return [
    ...section('Flags', flagLines(main, width), color),
    ...[...groups].flatMap(([title, flags]) => section(title, flagLines(flags, width), color)),
    ...section(lastTitle, flagLines(Object.entries(common), width), color),
  ]
}

function flagLines(flags: ReadonlyArray<readonly [string, FlagInfo]>, width: number): string[] {
  return twoColumns(
    flags.map(([name, flag]) => [flagTerm(name, flag), flagText(flag)] as const),
    { width },
  )
}

function flagTerm(name: string, flag: FlagInfo): string {
  const short = flag.char === undefined ? '    ' : `-${flag.char}, `
  const long = flag.allowNo === true ? `--[no-]${name}` : `--${name}`
  const value = flag.helpValue === undefined ? valueWord(flag) : [flag.helpValue].flat().join(' ')
  return flag.type === 'boolean' ? `${short}${long}` : `${short}${long}=${value}`
}

function valueWord(flag: FlagInfo): string {
  const options = flag.options?.join('|') ?? ''
  return options === '' || options.length > 14 ? 'VALUE' : options
}

function flagText(flag: FlagInfo): string {
  const text = flag.summary ?? flag.description ?? ''
  const isListed = valueWord(flag) === 'VALUE' && flag.helpValue === undefined
  const notes = [
    ...(flag.required === true ? ['required'] : []),
    ...(flag.multiple === true ? ['may be repeated'] : []),
    ...(flag.options !== undefined && isListed ? [`one of ${flag.options.join(', ')}`] : []),
    ...(hasDefault(flag) ? [`default: ${String(flag.default)}`] : []),
  ]
  // A note does not break in the middle where it is short enough.
  const note = `[${notes.join('; ')}]`
  const unbroken = note.length > 20 ? note : note.replaceAll(' ', NO_BREAK)
  return notes.length === 0 ? text : `${text} ${unbroken}`
}

function hasDefault(flag: FlagInfo): boolean {
  const value = flag.default
  return flag.type === 'option' && (typeof value === 'string' || typeof value === 'number')
}

/** Examples are either a command line, or a sentence and a command line. */
function exampleLines(
  command: CommandInfo,
  { bin, width }: { bin: string; width: number },
): string[] {
  return (command.examples ?? []).flatMap((example, index) => {
    if (typeof example === 'string') {
      return [`  $ ${fill(example, bin)}`]
    }
    const sentence = wrap(fill(example.description, bin), width - 4).map((line) => `  # ${line}`)
    const gap = index === 0 ? [] : ['']
    return [...gap, ...sentence, `  $ ${fill(example.command, bin)}`]
  })
}

function wrapIndented(text: string, width: number): string[] {
  return text === '' ? [] : wrap(text, width - 2).map((line) => `  ${line}`.trimEnd())
}

/** Texts name the program as it was called. */
function fill(text: string, bin: string): string {
  return text.replaceAll('<%= config.bin %>', bin)
}
