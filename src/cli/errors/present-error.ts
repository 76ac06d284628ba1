import { inspect, styleText } from 'node:util'
import { processEnvironment } from '../../shared/environment.ts'
import type { VplaneError } from '../../shared/errors.ts'
import { hintTexts } from '../catalog/hint-text.ts'
import { harmlessText } from '../terminal/harmless-text.ts'
import { canColor } from '../terminal/terminal.ts'

export interface ErrorStyle {
  color: boolean
  debug: boolean
}

/** An error for people: the message, and each hint, on a separate line. */
export function formatError(error: VplaneError, { color, debug }: ErrorStyle): string {
  const paint = (format: 'red' | 'cyan', text: string) =>
    color ? styleText(format, text, { validateStream: false }) : text
  const lines = [
    `${paint('red', 'error:')} ${harmlessText(error.message)}`,
    ...hintTexts(error.hints).map((hint) => {
      const [, label = 'hint', text = ''] = /^(?:(usage): )?(.*)$/s.exec(harmlessText(hint)) ?? []
      return `${paint('cyan', `${label}:`)} ${text}`
    }),
    ...(debug ? [inspect(error)] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** Shows a failure to people, with stacks if VPLANE_DEBUG is set. */
export function printError(error: VplaneError): void {
  const environment = processEnvironment()
  const color = canColor(process.stderr, environment)
  const debug = (environment['VPLANE_DEBUG'] ?? '') !== ''
  process.stderr.write(formatError(error, { color, debug }))
}

/** Data as scripts read it on stdout. */
export function jsonText(json: unknown): string {
  return `${JSON.stringify(json, undefined, 2)}\n`
}

export interface ErrorJson {
  error: { code: string; message: string; hints: readonly string[]; exitCode: number }
}

/** A failure for a script. */
export function toErrorJson(error: VplaneError, exitCode: number = error.exitCode): ErrorJson {
  return {
    error: { code: error.code, message: error.message, hints: hintTexts(error.hints), exitCode },
  }
}
