import type { Cli } from '../cli/cli.ts'

/** A token of the default ServiceAccount for a day, of the plane that the current context leads to. */
export async function newToken(cli: Pick<Cli, 'kubectlOk'>): Promise<string> {
  return (await cli.kubectlOk(['create', 'token', 'default', '--duration=24h'])).trim()
}

/** Whether the API knows whose a token is: it is asked by someone else. */
export async function isTaken(cli: Pick<Cli, 'kubectl'>, bearer: string): Promise<boolean> {
  const spec = { token: bearer }
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec }
  const input = JSON.stringify(review)
  const { stdout } = await cli.kubectl(['create', '-f', '-', '--output', 'json'], { input })
  return JSON.parse(stdout).status.authenticated === true
}
