import { inspect, styleText } from 'node:util'
import type { VplaneError } from '../../shared/errors.ts'
import { hintTexts } from '../catalog/hint-text.ts'
import { harmlessText } from '../terminal/harmless-text.ts'

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

export interface ErrorJson {
  error: { code: string; message: string; hints: readonly string[]; exitCode: number }
}

export function toErrorJson(error: VplaneError, exitCode: number = error.exitCode): ErrorJson {
  return {
    error: { code: error.code, message: error.message, hints: hintTexts(error.hints), exitCode },
  }
}
