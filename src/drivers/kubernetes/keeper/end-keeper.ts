import { gatewayOf } from '../../../manifests/gateway-records.ts'
import {
  type KeeperSettings,
  keeperSettingsOf,
  settingsSelector,
} from '../../../manifests/keeper-settings.ts'
import { GATEWAY_LABELS, PLANE_LABEL, SHARED_LABEL } from '../../../manifests/object-names.ts'
import { isVplaneError } from '../../../shared/errors.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import { KEEPER_SELECTOR } from '../context/object-names.ts'
import { forgetAtGateway } from '../gateway/gateway-planes.ts'
import type { HostApi } from '../host/host-api.ts'
import { waitUntilGone } from '../workloads/wait-until-gone.ts'
import { keeperParts } from './keeper-parts.ts'
import { again, restKeeper } from './rest-keeper.ts'

type EndApi = Pick<HostApi, 'delete' | 'get' | 'list' | 'patch' | 'watch'>

/** How long the pod of the keeper may take to end, in milliseconds: its grace period, and time for its node. */
const POD_TIMEOUT_MS = 15_000

const MONITORS = ['Service', 'ServiceMonitor']

/**
 * Scales the keeper of a namespace to 0 unless a plane needs it now, and deletes of it and the gateway what no plane has in its
 * settings any more: all of it without settings. Each object is read before the settings, and only deleted as it was.
 */
export async function endKeeper(
  api: EndApi,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  await restKeeper(api, namespace, signal)
  const path = collectionPath('configmaps', namespace)
  await again(async () => {
    const found = await keeperParts(api, namespace, signal)
    if (found.length === 0) {
      return
    }
    const read = () => api.list(path, { labelSelector: settingsSelector(), signal })
    const { items } = await read()
    if (items.length === 0) {
      await untilPodsEnd(api, namespace, signal)
    }
    const settings = items.map(readSettings)
    const isMonitored = settings.some((one) => one.isMonitored === true)
    const hasGateway = settings.some(({ wakes }) => wakes === true)
    const isSuperfluous = (object: KubeObject) =>
      items.length === 0 ||
      (!isMonitored && MONITORS.includes(object.kind)) ||
      (!hasGateway && isOfGateway(object))
    for (const { object, path: at } of found.filter((one) => isSuperfluous(one.object))) {
      const { resourceVersion } = object.metadata
      await api.delete(at, { resourceVersion, signal })
    }
    if (hasGateway) {
      const existing = async () =>
        new Set((await read()).items.map(({ metadata }) => metadata.labels?.[PLANE_LABEL] ?? ''))
      await forgetAtGateway(api, gatewayOf(namespace), { existing, signal })
    }
  })
}

/** A plane may need all of it whose settings someone else has damaged. */
function readSettings(configMap: KubeObject): Pick<KeeperSettings, 'isMonitored' | 'wakes'> {
  try {
    return keeperSettingsOf(configMap)
  } catch {
    return { isMonitored: true, wakes: true }
  }
}

function isOfGateway({ metadata }: KubeObject): boolean {
  return metadata.labels?.[SHARED_LABEL] === GATEWAY_LABELS[SHARED_LABEL]
}

/** A pod on a node that does not respond ends later. */
async function untilPodsEnd(api: EndApi, namespace: string, signal: AbortSignal): Promise<void> {
  const gone = waitUntilGone(api, {
    namespace,
    labelSelector: KEEPER_SELECTOR,
    what: `the end of the keeper of "${namespace}"`,
    timeoutMs: POD_TIMEOUT_MS,
    signal,
  })
  await gone.catch((error: unknown) => {
    if (!isVplaneError(error, 'TIMED_OUT')) {
      throw error
    }
  })
}
