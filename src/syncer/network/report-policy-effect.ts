import { lookup } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkPolicyEffect } from '../../control-plane/status/plane-status.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import { networkPolicyEffectOf, syncerStatusData } from '../../manifests/syncer-status.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import { isListening } from '../../shared/network/ports.ts'
import { repeat } from '../engine/repeat.ts'
import type { SyncScope } from '../scope/sync-scope.ts'

export interface PolicyEffectOptions {
  host: Pick<KubeClient, 'get' | 'replace'>
  plane: Pick<KubeClient, 'text'>
  scope: Pick<SyncScope, 'host' | 'plane'>
  /** Whether this pod reaches what a NetworkPolicy of the plane denies it. */
  reachesDenied: (signal: AbortSignal) => Promise<boolean>
  onError: (what: string, error: unknown) => void
  /** How often to look, in milliseconds. @default 60_000 */
  everyMs?: number
  /** The host may apply a new policy a moment later: how long until the second look, in milliseconds. @default 5000 */
  confirmMs?: number
}

/** A host that enforces NetworkPolicies may drop the packets of a connection instead of refusing it. */
const CONNECT_MS = 3000

/** Finds out whether this pod reaches `host:port`, at any address of this host. */
export function whetherReached(hostAndPort: string): PolicyEffectOptions['reachesDenied'] {
  const [host = '', port] = hostAndPort.split(':')
  return async (signal) => {
    const found = await lookup(host, { all: true })
    const either = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)])
    const tries = found.map(({ address }) => isListening(Number(port), address, either))
    return (await Promise.all(tries)).includes(true)
  }
}

/** Reports in the syncer's ConfigMap whether the host enforces NetworkPolicies, until the signal fires. */
export async function reportPolicyEffect(
  options: PolicyEffectOptions,
  signal: AbortSignal,
): Promise<void> {
  const { everyMs = 60_000, host, onError, scope } = options
  const place = { name: objectName(scope.plane, 'syncer-status'), namespace: scope.host.namespace }
  const path = objectPath('configmaps', place)
  const report = async () => {
    const effect = await policyEffect(options, signal)
    const known = await host.get(path, { signal })
    if (known !== undefined && effect !== undefined && networkPolicyEffectOf(known) !== effect) {
      await host.replace(path, { ...known, data: syncerStatusData(effect) }, { signal })
    }
  }
  await repeat(report, { everyMs, onError: (error) => onError('network policies', error), signal })
}

/** Undefined while kube-apiserver, which may reach its store, is not ready either. */
async function policyEffect(
  { confirmMs = 5000, plane, reachesDenied }: PolicyEffectOptions,
  signal: AbortSignal,
): Promise<NetworkPolicyEffect | undefined> {
  if (await reachesDenied(signal)) {
    await delay(confirmMs, undefined, { signal })
    if (await reachesDenied(signal)) {
      return 'ignored'
    }
  }
  const { status } = await plane.text('/readyz', { signal })
  return status === 200 ? 'enforced' : undefined
}
