import type { SyncContext } from '../context/sync-context.ts'
import {
  createHostObject,
  removeHostObject,
  updateHostObject,
} from '../host-objects/host-objects.ts'
import { type ObjectKey, parseObjectKey } from '../../kube/cache/object-key.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { isExposed, toExposure } from './exposed-services.ts'

const resource = 'networkpolicies'

/** Makes or removes the host's policy that lets everybody reach what a Service exposes. */
export async function syncExposure(
  context: SyncContext,
  { key, service: serviceKey }: { key: ObjectKey; service: ObjectKey },
  signal: AbortSignal,
): Promise<void> {
  const { ingresses, networkpolicies, scope, services, surroundings } = context
  const known = networkpolicies.host.get(hostKeyOf(scope, parseObjectKey(key)))
  const service = services.host.get(hostKeyOf(scope, parseObjectKey(serviceKey)))
  const wanted =
    service !== undefined && isExposed(service, ingresses.host.values())
      ? toExposure(scope, service, surroundings.owner)
      : undefined
  if (wanted === undefined) {
    await removeHostObject(context, { resource, known }, signal)
  } else if (known === undefined) {
    await createHostObject(context, { resource, wanted }, signal)
  } else {
    await updateHostObject(context, { resource, known, wanted }, signal)
  }
}
