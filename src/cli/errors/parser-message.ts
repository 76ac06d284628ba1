import { stripVTControlCharacters } from 'node:util'

/** The message of an error of @oclif/core's parser, or one that passed through it, in the words of vplane's own. */
export function parserMessage(error: Error): string {
  const text = stripVTControlCharacters(error.message)
  const [, flag, reason = ''] =
    /^Parsing (--\S+) \n\t(.*)\nSee more help with --help$/s.exec(text) ?? []
  if (flag !== undefined) {
    return `${flag}: ${lowerFirst(reason)}`
  }
  return text.endsWith('See more help with --help') || 'oclif' in error
    ? sentenceOf(text.replace('\nSee more help with --help', ''), error)
    : error.message
}

function sentenceOf(text: string, error: Error): string {
  const [, what, list] = /^(Nonexistent flag|Unexpected argument)s?: (.*)$/s.exec(text) ?? []
  if (list !== undefined) {
    const words = list.split(', ').map((word) => `"${word}"`)
    const noun = what === 'Nonexistent flag' ? 'unknown flag' : 'unexpected argument'
    return `${noun}${words.length > 1 ? 's' : ''} ${words.join(', ')}`
  }
  if (text.startsWith('Missing ') && 'args' in error && Array.isArray(error.args)) {
    const names = error.args.map(({ name }: { name: string }) => name.toUpperCase())
    return `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} missing`
  }
  const [, option, value, allowed] =
    /^Expected (?:(--\S+?)=)?(.*) to be one of: (.*)$/s.exec(text) ?? []
  if (allowed !== undefined) {
    return `${option === undefined ? '' : `${option}: `}"${value}" is not one of ${allowed}`
  }
  const [, reasons = text] = /^The following errors? occurred:\n\s*(.*)$/s.exec(text) ?? []
  return lowerFirst(reasons.replaceAll(/\n\s*/g, '; ').replace(/^Flag (?=--)/, ''))
}

function lowerFirst(text: string): string {
  return text.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
}
