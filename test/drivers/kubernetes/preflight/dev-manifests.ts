import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type { HostObject } from '../../../../src/drivers/kubernetes/host/host-api.ts'
import { planeManifests } from '../../../../src/manifests/render/plane-manifests.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'

/** What a plane `dev` in `team-a` is made of. */
export function devManifests(user: UserSpec = {}, namespace = 'team-a'): HostObject[] {
  return planeManifests(manifestInputOf(user, { namespace, files: {} }))
}
