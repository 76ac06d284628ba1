import { VplaneError } from '../../shared/errors.ts'
import type { FlagInfo } from '../catalog/command-info.ts'

type FlagShape = Pick<FlagInfo, 'type' | 'char' | 'allowNo'>

/**
 * Rewrites `--flag=true` and `--flag=false` of boolean flags to what the parser understands, so that no value of a
 * flag is ever taken for an argument. The last one wins. Words after `--` stay as they are.
 *
 * @throws {VplaneError} `USAGE` when the value is neither true nor false, or is a separate word.
 */
export function normalizeBooleans(
  argv: readonly string[],
  flags: Readonly<Record<string, FlagShape>>,
): string[] {
  const result: string[] = []
  for (const [index, word] of argv.entries()) {
    if (word === '--') {
      return [...result, ...argv.slice(index)]
    }
    const found = booleanIn(word, flags)
    if (found === undefined) {
      refuseLooseValue(argv[index - 1], word, flags)
      result.push(word)
      continue
    }
    const { flag, name, value } = found
    if (value === undefined) {
      result.push(word)
    } else if (value) {
      result.push(`--${name}`)
    } else {
      const without = result.filter((other) => other !== `--${name}` && other !== `-${flag.char}`)
      const negated = flag.allowNo === true ? [`--no-${name}`] : []
      result.splice(0, result.length, ...without, ...negated)
    }
  }
  return result
}

/** The boolean flag that a word names, with the value that stands in the same word. */
function booleanIn(word: string, flags: Readonly<Record<string, FlagShape>>) {
  const match = /^(--?)([a-zA-Z][\w-]*)(?:=(.*))?$/s.exec(word)
  const [, dashes = '', given = '', text] = match ?? []
  const name = nameOf(dashes, given, flags)
  const flag = name === undefined ? undefined : flags[name]
  if (name === undefined || flag?.type !== 'boolean') {
    return undefined
  }
  if (text === undefined) {
    return { name, flag, value: undefined }
  }
  if (given === `no-${name}` || !/^(true|false)$/i.test(text)) {
    throw new VplaneError('USAGE', `"${word}" is not valid`, {
      hints: [
        `use --${name}, ${flag.allowNo === true ? `--no-${name}, ` : ''}--${name}=true or --${name}=false`,
      ],
    })
  }
  return { name, flag, value: text.toLowerCase() === 'true' }
}

function nameOf(dashes: string, given: string, flags: Readonly<Record<string, FlagShape>>) {
  if (dashes === '-') {
    return Object.keys(flags).find((name) => flags[name]?.char === given)
  }
  const positive = given.replace(/^no-/, '')
  return Object.hasOwn(flags, given)
    ? given
    : flags[positive]?.allowNo === true
      ? positive
      : undefined
}

/** `--wait false` would make a plane called "false". */
function refuseLooseValue(
  before: string | undefined,
  word: string,
  flags: Readonly<Record<string, FlagShape>>,
): void {
  if (before !== undefined && /^(true|false)$/.test(word)) {
    const name = booleanIn(before, flags)?.name
    if (name !== undefined && !before.includes('=')) {
      throw new VplaneError('USAGE', `"${before} ${word}" is not valid`, {
        hints: [`use --${name}=${word}`],
      })
    }
  }
}
