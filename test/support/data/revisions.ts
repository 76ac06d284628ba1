import { expect } from 'vitest'
import type { Cli } from '../cli/cli.ts'

/** The argument with which kubectl prints the revision of an object. */
export const REVISION = '-o=jsonpath={.metadata.resourceVersion}'

/** The path of a watch of Events after a revision. kube-apiserver has no cache of these, so the store itself answers. */
export function eventsSince(revision: number): string {
  return `/api/v1/events?watch=1&resourceVersion=${revision}&timeoutSeconds=5`
}

/** The restored plane of the context has later revisions than before, and no former ones. */
export async function expectNewRevisions(
  { kubectlOk }: Pick<Cli, 'kubectlOk'>,
  former: number,
): Promise<void> {
  const revision = Number(await kubectlOk(['get', 'configmap', 'kept', REVISION]))
  expect(revision).toBeGreaterThan(former)
  expect(await kubectlOk(['get', '--raw', eventsSince(former)])).toContain('"code":410')
}
