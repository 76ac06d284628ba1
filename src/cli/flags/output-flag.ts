import { Flags } from '@oclif/core'

/** `-o`: how the result is printed, as with kubectl; `json` and `yaml` print what `--json` prints. */
export function outputFlag<const Formats extends readonly string[]>(...formats: Formats) {
  return Flags.option({
    char: 'o',
    options: formats,
    summary: 'Prints the result in this format.',
    exclusive: ['json'],
  })()
}

/** The format that the words before `--` ask for with `-o`; undefined for text, and for a command without the flag. */
export function dataFormatIn(
  own: readonly string[],
  flag: object | undefined,
): 'json' | 'yaml' | undefined {
  if (flag === undefined || !('options' in flag) || !isList(flag.options)) {
    return undefined
  }
  const [, format] =
    /(?:^|\n)(?:-o[=\n]?|--output[=\n])(json|yaml)(?:\n|$)/.exec(own.join('\n')) ?? []
  return format === 'json' || format === 'yaml' ? format : undefined
}

function isList(options: unknown): boolean {
  return Array.isArray(options) && options.includes('json')
}
