import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { filesOf } from '../../drivers/kubernetes/objects/plane-keys.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import { VplaneError } from '../../shared/errors.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { PodWorld } from './pod-world.ts'

/** How long the files are used before they are read again, in milliseconds: other pods get new ones after a minute. */
const FRESH_MS = 30_000

/** Reads the Secret of a plane for its keeper, and again after a while, since certificates and keys are replaced. */
export function planeFiles(
  host: Pick<KubeClient, 'get'>,
  { name, namespace }: PlacedName,
  now: () => Date,
): PodWorld['files'] {
  const secret = objectName(name, 'keeper')
  const path = objectPath('secrets', { name: secret, namespace })
  let known: { files: Record<string, string>; at: number } | undefined
  return async (signal) => {
    const at = now().getTime()
    if (known === undefined || Math.abs(at - known.at) >= FRESH_MS) {
      const found = await host.get(path, { signal })
      if (found === undefined) {
        throw new VplaneError('FAILED', `the Secret "${secret}" is missing`)
      }
      known = { files: filesOf(found['data']), at }
    }
    return known.files
  }
}
