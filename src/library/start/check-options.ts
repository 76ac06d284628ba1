import { VplaneError } from '../../shared/errors.ts'
import { closestTo } from '../../shared/text/closest.ts'
import type { StartOptions, WebhookOptions } from '../types/start-options.ts'

const START_OPTIONS: Record<keyof StartOptions, true> = {
  binDir: true,
  crds: true,
  log: true,
  signal: true,
  spec: true,
  timeoutMs: true,
  version: true,
  webhooks: true,
}

const WEBHOOK_OPTIONS: Record<keyof WebhookOptions, true> = {
  host: true,
  objects: true,
  paths: true,
  port: true,
}

/**
 * Refuses options that do not exist, which plain JavaScript would ignore: a test would run without what it asked for.
 * @throws {VplaneError} `USAGE` naming the option, with the one that was most likely meant.
 */
export function checkOptions(options: StartOptions): void {
  check(options, Object.keys(START_OPTIONS), '')
  check(options.webhooks ?? {}, Object.keys(WEBHOOK_OPTIONS), 'webhooks.')
}

function check(options: object, known: readonly string[], prefix: string): void {
  const unknown = Object.entries(options)
    .filter(([name, value]) => value !== undefined && !known.includes(name))
    .map(([name]) => name)
  if (unknown.length > 0) {
    const names = unknown.map((name) => `"${prefix}${name}"`).join(', ')
    const meant = unknown.flatMap((name) => closestTo(name, known) ?? [])
    throw new VplaneError('USAGE', `unknown option${unknown.length > 1 ? 's' : ''} ${names}`, {
      hints: [
        ...meant.map((name) => `did you mean "${prefix}${name}"?`),
        `options: ${known.map((name) => `${prefix}${name}`).join(', ')}`,
      ],
    })
  }
}
