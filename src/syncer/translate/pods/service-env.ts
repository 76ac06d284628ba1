import type { LinkedService, PodContext } from '../pod-draft/pod-context.ts'
import { urlHost } from '../../../shared/network/url-host.ts'

export interface EnvVariable {
  name: string
  value: string
}

/**
 * The variables that a kubelet gives to containers: where the plane's API is, always, and the Services of the pod's
 * namespace when the pod wants links. On the host the kubelet would tell of the host's API and Services instead.
 */
export function serviceEnv(
  { apiServer, services }: Pick<PodContext, 'apiServer' | 'services'>,
  { links }: { links: boolean },
): EnvVariable[] {
  const linked = links ? services.filter(({ name }) => name !== 'kubernetes') : []
  return [
    apiService(apiServer),
    ...linked.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  ]
    .filter(({ clusterIp, ports }) => hasAddress(clusterIp) && ports.length > 0)
    .flatMap(variablesOf)
    .concat(hidden443(apiServer))
}

function apiService({ host, port }: PodContext['apiServer']): LinkedService {
  return { name: 'kubernetes', clusterIp: host, ports: [{ name: 'https', port, protocol: 'TCP' }] }
}

/** The host's kubelet adds what is not there: its own API's variables are named after the port 443. */
function hidden443({ host, port }: PodContext['apiServer']): EnvVariable[] {
  return port === 443
    ? []
    : portVariables('KUBERNETES_PORT_443_TCP', host, { port, protocol: 'TCP' })
}

function variablesOf({ clusterIp, name, ports }: LinkedService): EnvVariable[] {
  const prefix = variableName(name)
  const [first] = ports
  return [
    { name: `${prefix}_SERVICE_HOST`, value: clusterIp },
    { name: `${prefix}_SERVICE_PORT`, value: String(first?.port) },
    ...ports
      .filter((one) => one.name !== undefined && one.name !== '')
      .map((one) => ({
        name: `${prefix}_SERVICE_PORT_${variableName(one.name ?? '')}`,
        value: String(one.port),
      })),
    ...(first === undefined
      ? []
      : [{ name: `${prefix}_PORT`, value: addressOf(clusterIp, first) }]),
    ...ports.flatMap((one) =>
      portVariables(`${prefix}_PORT_${one.port}_${one.protocol.toUpperCase()}`, clusterIp, one),
    ),
  ]
}

interface Port {
  port: number
  protocol: string
}

function portVariables(prefix: string, host: string, port: Port): EnvVariable[] {
  return [
    { name: prefix, value: addressOf(host, port) },
    { name: `${prefix}_PROTO`, value: port.protocol.toLowerCase() },
    { name: `${prefix}_PORT`, value: String(port.port) },
    { name: `${prefix}_ADDR`, value: host },
  ]
}

function addressOf(host: string, { port, protocol }: Port): string {
  return `${protocol.toLowerCase()}://${urlHost(host)}:${port}`
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_')
}

function hasAddress(clusterIp: string): boolean {
  return clusterIp !== '' && clusterIp !== 'None'
}
