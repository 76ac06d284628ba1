import { expect } from 'vitest'
import type { Cli } from '../machine/cli.ts'

/** A token of the default ServiceAccount for a day, of the plane that the current context leads to. */
export async function newToken(cli: Pick<Cli, 'kubectl'>): Promise<string> {
  const { code, stderr, stdout } = await cli.kubectl([
    'create',
    'token',
    'default',
    '--duration=24h',
  ])
  expect(code, stderr).toBe(0)
  return stdout.trim()
}

/** Whether the API knows whose a token is: it is asked by somebody else. */
export async function isTaken(cli: Pick<Cli, 'kubectl'>, bearer: string): Promise<boolean> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: bearer },
  }
  const { stdout } = await cli.kubectl(['create', '--filename', '-', '--output', 'json'], {
    input: JSON.stringify(review),
  })
  return JSON.parse(stdout).status.authenticated === true
}
