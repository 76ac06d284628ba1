import { expect } from 'vitest'
import type { Cli } from '../cli/cli.ts'

/** Runs kubectl on the kubeconfig, which must end well and without a word on stderr; returns what it printed. */
export async function quietKubectl(
  cli: Pick<Cli, 'kubectl'>,
  words: readonly string[],
): Promise<string> {
  const { code, stderr, stdout } = await cli.kubectl(words)
  expect(stderr + code).toBe('0')
  return stdout
}
