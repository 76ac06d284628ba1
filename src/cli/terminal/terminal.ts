import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Environment } from '../../shared/environment.ts'

export interface Terminal {
  stdin: { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean; columns?: number }
  environment: Environment
  /** Whether the result is JSON, so that a script is reading. */
  isJson: boolean
}

/** Why a question cannot be asked here; undefined if it can. */
export function whyNotAsk({ stdin, stderr, environment, isJson }: Terminal): string | undefined {
  if (isJson || isCi(environment)) {
    return isJson ? '--json is set' : 'CI is set'
  }
  if (stdin.isTTY === true && stderr.isTTY === true) {
    return undefined
  }
  return stderr.isTTY === true ? 'stdin is not a terminal' : 'this is not a terminal'
}

/** Whether lines can be overwritten: on a capable terminal, without CI. */
export function canAnimate({ stderr, environment }: Terminal): boolean {
  // ora 9.4 never returns on a terminal of 0 columns, as some serial lines and containers report.
  const isSized = stderr.columns !== 0
  return stderr.isTTY === true && isSized && !isCi(environment) && environment['TERM'] !== 'dumb'
}

/** Whether text is coloured, by https://no-color.org and `FORCE_COLOR`. */
export function canColor(stream: { isTTY?: boolean }, environment: Environment): boolean {
  const { NO_COLOR: noColor = '', FORCE_COLOR: forced = '' } = environment
  if (noColor !== '') {
    return false
  }
  return forced === '' ? stream.isTTY === true && environment['TERM'] !== 'dumb' : forced !== '0'
}

/** A text for people in a colour, where stderr takes one. */
export function paint(
  format: 'dim' | 'green' | 'red' | 'yellow',
  text: string,
  { environment, stderr }: Pick<Terminal, 'environment' | 'stderr'>,
): string {
  return canColor(stderr, environment) ? styleText(format, text, { validateStream: false }) : text
}

/** A warning as people see it. */
export function warningLine(
  text: string,
  terminal: Pick<Terminal, 'environment' | 'stderr'>,
): string {
  return `${paint('yellow', 'warning:', terminal)} ${text}`
}

function isCi(environment: Environment): boolean {
  return !['', '0', 'false', undefined].includes(environment['CI'])
}
