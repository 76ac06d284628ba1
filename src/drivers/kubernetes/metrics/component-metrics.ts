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

/** Where components serve, and the name that the certificates of those are for that have one. */
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
 * What a component of a plane says of its own work, in the text format of Prometheus: a pod of it that is ready.
 *
 * @throws {VplaneError} `FAILED` when none is or it refuses, `UNREACHABLE` when it does not answer.
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
  try {
    const stream = await forward({ namespace, pod, port }, { signal })
    const request = { method: 'GET', path: '/metrics', signal } as const
    const certificateAuthority = files['ca.crt'] ?? ''
    const answer = await (serverName === undefined
      ? plainRequestOver(stream, request)
      : requestOver(stream, { ...request, serverName, certificateAuthority }))
    const body = await text(answer)
    if (answer.statusCode === 200) {
      return body
    }
    throw new VplaneError('FAILED', `${what} gave no metrics: status ${answer.statusCode}`)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof VplaneError) {
      throw error
    }
    throw new VplaneError('UNREACHABLE', `${what} cannot be asked: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
