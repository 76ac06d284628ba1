import { ETCD_PORTS } from './ports.ts'
import type { ControllerLayout, Layout } from '../control-plane/components/arguments/layout.ts'
import type { Workload } from '../control-plane/spec/fields/host-spec.ts'
import type { ComponentName } from '../control-plane/plane/plane.ts'
import { quantityValue } from '../control-plane/spec/fields/quantity.ts'
import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import { objectName } from './object-names.ts'

/** Where the files are in every pod of a plane. */
const POD_FOLDERS = {
  pki: '/etc/vplane/pki',
  configuration: '/etc/vplane/configuration',
  etcdData: '/var/lib/etcd',
} as const

/** How long kube-apiserver goes on serving after it was told to stop, with several of them behind the Service. */
const SHUTDOWN_DELAY_SECONDS = 15

/** The database may fill this part of the volume: as much again is for a copy while it is compacted, and there is a log. */
const QUOTA_OF_VOLUME = 0.4
/** What etcd recommends at most (etcd.io/docs/v3.6/dev-guide/limit). */
const MAX_QUOTA_BYTES = 8 * 1024 ** 3

/** What decides where things are in the pods of a plane. */
export interface PodPlace {
  name: string
  namespace: string
  /** The plane's id: it tells its etcd members from those of any other plane. */
  id: string
  spec: PlaneSpec
  /** `new` until the plane has stored something, `existing` for ever after. */
  initialState: 'new' | 'existing'
  /** How many members etcd has now, while members come or go. @default as many as the spec says */
  etcdMembers?: number | undefined
  /** The ordinal of a member that is to take the data of the others. @default none */
  joining?: number | undefined
  /** The ordinals of members that etcd does not have now, as they come later. @default none */
  absent?: readonly number[] | undefined
  /** The ordinals of members that come back without data as who they were, to give etcd a majority. @default none */
  regaining?: readonly number[] | undefined
}

/**
 * Where everything is in the pods of a plane: folders, ports of the pods, and names of the Services in front.
 *
 * @param ordinal which member of etcd the layout is for. @default 0
 */
export function podLayout(place: PodPlace, ordinal: number = 0): Layout {
  const { id, initialState, name, namespace, spec } = place
  const service = (suffix: ComponentName) => `${objectName(name, suffix)}.${namespace}.svc`
  const wanted = spec.host?.etcd.replicas ?? 1
  const count = place.etcdMembers ?? wanted
  // Whoever comes is not there yet, and who is to go is not asked any more.
  const served = Math.min(count, wanted)
  const members = Array.from({ length: count }, (_, index) => ({
    name: memberName(name, index),
    advertisePeer: `${memberHost({ name, namespace }, index)}:2380`,
  }))
  const advertised = memberHost({ name, namespace }, ordinal)
  return {
    profile: spec.host?.sync === undefined ? 'nodeless' : 'synced',
    pkiFolder: POD_FOLDERS.pki,
    configurationFolder: POD_FOLDERS.configuration,
    etcd: {
      name: memberName(name, ordinal),
      configurationFile: memberFile(memberName(name, ordinal)),
      members,
      // Below the volume's own folder, which may hold lost+found.
      dataFolder: `${POD_FOLDERS.etcdData}/data`,
      listenClient: '0.0.0.0:2379',
      listenPeer: '0.0.0.0:2380',
      listenMetrics: `http://0.0.0.0:${ETCD_PORTS.metrics}`,
      listenHttp: `https://0.0.0.0:${ETCD_PORTS.gateway}`,
      advertiseClient: `${advertised}:2379`,
      advertisePeer: `${advertised}:2380`,
      initialState,
      joins:
        place.joining === ordinal || place.regaining?.includes(ordinal) === true
          ? members.filter((_, index) => !(place.absent ?? []).includes(index))
          : undefined,
      token: id,
      quotaBytes: quotaBytes(spec),
    },
    apiServer: {
      bindAddress: '0.0.0.0',
      // The kubelet puts the pod's address here.
      advertiseAddress: '$(POD_IP)',
      port: 6443,
      url: `https://${service('kube-apiserver')}`,
      endpointReconciler: 'lease',
      // One member is found under an address that is there before its pod; several are tried one by one.
      etcdServers:
        served === 1
          ? [`https://${service('etcd')}:2379`]
          : members
              .slice(0, served)
              .map((_, index) => `https://${memberHost({ name, namespace }, index)}:2379`),
      shutdownDelaySeconds: (spec.host?.apiServer.replicas ?? 1) > 1 ? SHUTDOWN_DELAY_SECONDS : 0,
    },
    controllerManager: controllerLayout(10_257, spec.host?.controllerManager),
    ...(spec.host?.scheduler === undefined
      ? {}
      : { scheduler: controllerLayout(10_259, spec.host.scheduler) }),
  }
}

function controllerLayout(
  port: number,
  { replicas }: Pick<Workload, 'replicas'> = { replicas: 1 },
): ControllerLayout {
  return { bindAddress: '0.0.0.0', port, leaderElect: replicas > 1 }
}

/** Name of an etcd member, which is that of its pod. */
export function memberName(plane: string, ordinal: number): string {
  return `${objectName(plane, 'etcd')}-${ordinal}`
}

/** The configuration file of a member by its name. */
export function memberFile(member: string): string {
  return `${member}.json`
}

/** Host name of an etcd member inside of the host cluster. */
export function memberHost(
  { name, namespace }: { name: string; namespace: string },
  ordinal: number,
): string {
  return `${memberName(name, ordinal)}.${objectName(name, 'etcd-peers')}.${namespace}.svc`
}

/** Where the other members of etcd find the one of an ordinal. */
export function peerUrlOf(place: { name: string; namespace: string }, ordinal: number): string {
  return `https://${memberHost(place, ordinal)}:2380`
}

function quotaBytes({ host }: PlaneSpec): number {
  const volume = quantityValue(host?.storage.size ?? '') ?? 0
  return Math.min(MAX_QUOTA_BYTES, Math.floor(volume * QUOTA_OF_VOLUME))
}
