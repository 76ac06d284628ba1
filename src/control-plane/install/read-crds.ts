import { VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import { selectCrds } from './select-crds.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { readManifests } from './read-manifests.ts'

/**
 * The custom resource definitions in files and folders, for `installCrds`. What is no definition is left out with a
 * note, what cannot work in a plane without nodes is warned of: all of that before a plane is touched.
 *
 * @throws {VplaneError} as `readManifests` does, and `USAGE` when there is no definition.
 */
export async function readCrds(paths: readonly string[], ui: Ui): Promise<KubeObject[]> {
  const definitions = selectCrds(await readManifests(paths, ui), ui)
  if (definitions.length === 0 && paths.length > 0) {
    throw new VplaneError('USAGE', `no custom resource definition in ${paths.join(', ')}`)
  }
  return definitions
}
