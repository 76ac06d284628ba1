import { text } from 'node:stream/consumers'
import type { MeasuredComponent } from '../../../control-plane/driver/plane-metrics.ts'
import { memberMetrics } from '../../../etcd/status/member-metrics.ts'
import { KEEPER_PORT, SYNCER_PORTS } from '../../../manifests/ports.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { plainRequestOver, requestOver } from '../../../shared/network/request-over.ts'
import type { Host } from '../context/context.ts'
import { readKeys } from '../objects/plane-keys.ts'
import { etcdInPod } from '../etcd/hosted-etcd.ts'
import { readyPod } from '../observed/ready-pod.ts'
import type { PlacedName } from '../context/object-names.ts'

/** The ports of components, and the names in their certificates if they have one. */
const SERVERS = {
  'kube-controller-manager': { port: 10_257, serverName: 'localhost' },
  'kube-scheduler': { port: 10_259, serverName: 'localhost' },
  syncer: { port: SYNCER_PORTS.health },
  keeper: { port: KEEPER_PORT },
}

export interface ComponentMetricsOptions {
  place: PlacedName
  component: MeasuredComponent
  signal: AbortSignal
}

/**
 * Returns the metrics of a component from one of its ready pods, in the text format of Prometheus.
 *
 * @throws {VplaneError} `FAILED` when no pod is ready or it refuses, `UNREACHABLE` when it does not respond.
 */
export async function componentMetrics(
  { api, forward }: Pick<Host, 'api' | 'forward'>,
  { component, place, signal }: ComponentMetricsOptions,
): Promise<string> {
  const { name, namespace } = place
  const [pod, files] = await Promise.all([
    readyPod(api, { ...place, component }, signal),
    readKeys(api, place, signal),
  ])
  const what = `${component} of "${name}"`
  if (component === 'etcd') {
    return memberMetrics(etcdInPod({ forward }, { what, namespace, pod, files }), signal)
  }
  const { port, serverName } = { serverName: undefined, ...SERVERS[component] }
  // That of the namespace works for other planes, too.
  const query = component === 'keeper' ? `?plane=${name}` : ''
  try {
    const stream = await forward({ namespace, pod, port }, { signal })
    const request = { method: 'GET', path: `/metrics${query}`, signal } as const
    const certificateAuthority = files['ca.crt'] ?? ''
    const answer = await (serverName === undefined
      ? plainRequestOver(stream, request)
      : requestOver(stream, { ...request, serverName, certificateAuthority }))
    const body = await text(answer)
    if (answer.statusCode === 200) {
      return body
    }
    throw new VplaneError('FAILED', `${what} returned no metrics: status ${answer.statusCode}`)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof VplaneError) {
      throw error
    }
    const cause = error
    throw new VplaneError('UNREACHABLE', `cannot reach ${what}: ${messageOf(error)}`, { cause })
  }
}
