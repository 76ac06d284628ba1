import { expect } from 'vitest'
import type { Cli } from './cli.ts'

/** Runs kubectl on the kubeconfig, which must end well and without a word on stderr; returns what it printed. */
export async function quietKubectl(
  cli: Pick<Cli, 'kubectl'>,
  words: readonly string[],
): Promise<string> {
  const { code, stderr, stdout } = await cli.kubectl(words)
  expect(stderr + code).toBe('0')
  return stdout
}

/** Waits for a point of a move, two minutes at most; a look at it that fails is one of many. */
export async function waitUntil(what: string, condition: () => Promise<boolean>): Promise<void> {
  await expect.poll(condition, { message: what, timeout: 120_000, interval: 300 }).toBe(true)
}
