export type CommandGroup = 'start' | 'planes' | 'day two' | 'tools'

/** The fields of @oclif/core's command classes and manifest that help and completion use. */
export interface CommandInfo {
  /** Words joined by a colon: `config:get`. */
  id: string
  aliases?: readonly string[] | undefined
  summary?: string | undefined
  description?: string | undefined
  examples?: ReadonlyArray<string | { command: string; description: string }> | undefined
  args?: Readonly<Record<string, ArgumentInfo>> | undefined
  flags?: Readonly<Record<string, FlagInfo>> | undefined
  hidden?: boolean | undefined
  group?: CommandGroup
  passedCommand?: string | undefined
}

export interface ArgumentInfo {
  description?: string | undefined
  required?: boolean | undefined
  multiple?: boolean | undefined
  hidden?: boolean | undefined
  options?: readonly string[] | undefined
}

export interface FlagInfo {
  type: 'boolean' | 'option'
  char?: string | undefined
  /** Other names, without dashes. */
  aliases?: readonly string[] | undefined
  summary?: string | undefined
  description?: string | undefined
  helpGroup?: string | undefined
  helpValue?: string | readonly string[] | undefined
  options?: readonly string[] | undefined
  default?: unknown
  allowNo?: boolean | undefined
  required?: boolean | undefined
  multiple?: boolean | undefined
  hidden?: boolean | undefined
}

/** How a command is called, in one line: `vplane connect [NAME] [flags] [-- CMD...]`. */
export function usageOf(command: CommandInfo, bin: string): string {
  const args = Object.entries(command.args ?? {})
    .filter(([, arg]) => arg.hidden !== true)
    .map(([name, arg]) => {
      const word = `${name.toUpperCase()}${arg.multiple === true ? '...' : ''}`
      return arg.required === true ? word : `[${word}]`
    })
  return [callOf(command, bin), ...args, '[flags]', command.passedCommand ?? '']
    .filter((word) => word !== '')
    .join(' ')
}

/** The words that start a command: `vplane config get`. */
export function callOf({ id }: Pick<CommandInfo, 'id'>, bin: string): string {
  return `${bin} ${id.replaceAll(':', ' ')}`
}
