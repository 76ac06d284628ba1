import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { planeManifests } from '../../../../src/manifests/render/plane-manifests.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'

/** The manifests of a plane `dev` in `team-a`. */
export function devManifests(user: UserSpec = {}, namespace = 'team-a'): KubeObject[] {
  return planeManifests(manifestInputOf(user, { namespace, files: {} }))
}
