import { DATABASE_AUTHORITIES } from './database-files.ts'
import { hostedSharedEtcd, SHARED_ETCD_FILES } from './shared-etcd-files.ts'
import { API_PORT, ETCD_PORTS } from './ports.ts'
import type { ControllerLayout, Layout } from '../control-plane/components/arguments/layout.ts'
import type { Workload } from '../control-plane/spec/fields/host-spec.ts'
import type { ServingName } from '../control-plane/plane/plane.ts'
import { quantityValue } from '../control-plane/spec/fields/quantity.ts'
import type { PlaneSpec } from '../control-plane/spec/spec.ts'
import { sharedEtcdOf, storeOf } from '../control-plane/store/store.ts'
import { objectName } from './object-names.ts'

/** The folders in pods. */
export const POD_FOLDERS = {
  pki: '/etc/vplane/pki',
  configuration: '/etc/vplane/configuration',
  etcdData: '/var/lib/etcd',
  kineData: '/var/lib/kine',
} as const

/** The variable in the pod of kine that has the mode of its file. */
export const DATA_MODE = 'DATA_MODE'

/** How long one of several kube-apiservers continues to serve after it was told to stop. */
const SHUTDOWN_DELAY_SECONDS = 15

/** The part of the volume that the database may fill: compaction needs room for a copy, and etcd has a log. */
const QUOTA_OF_VOLUME = 0.4
/** The maximum that etcd recommends (etcd.io/docs/v3.6/dev-guide/limit). */
const MAX_QUOTA_BYTES = 8 * 1024 ** 3

/** A plane and the state of its etcd members, on which the layout of its pods depends. */
export interface PodPlace {
  name: string
  namespace: string
  /** The plane's id, which distinguishes its etcd members from those of other planes. */
  id: string
  /** With `host`: a spec that was resolved for the kubernetes driver. */
  spec: PlaneSpec
  /** `existing` as soon as the plane has stored anything: an empty volume must not become a new plane. */
  initialState: 'new' | 'existing'
  /** The current number of etcd members, while members are added or removed. @default as many as in the spec */
  etcdMembers?: number | undefined
  /** The ordinals of members that rejoin without data under their old identity, to restore a majority. @default none */
  regaining?: readonly number[] | undefined
}

/** The layout of pods, for the etcd member `ordinal`: folders, ports, and names of Services. */
export function podLayout(place: PodPlace, ordinal: number = 0): Layout {
  const { id, initialState, name, namespace, spec } = place
  const service = (suffix: ServingName) => `${objectName(name, suffix)}.${namespace}.svc`
  const desired = spec.host?.etcd.replicas ?? 1
  const count = place.etcdMembers ?? desired
  // Clients use neither a member that is being added nor one that is being removed.
  const served = Math.min(count, desired)
  const members = Array.from({ length: count }, (_, index) => ({
    name: memberName(name, index),
    advertisePeer: `${memberHost({ name, namespace }, index)}:2380`,
  }))
  const advertised = memberHost({ name, namespace }, ordinal)
  const sharedEtcd = sharedEtcdAccess(place)
  return {
    profile: spec.host?.sync === undefined ? 'nodeless' : 'synced',
    pkiFolder: POD_FOLDERS.pki,
    configurationFolder: POD_FOLDERS.configuration,
    etcd: {
      name: memberName(name, ordinal),
      configurationFile: memberFile(memberName(name, ordinal)),
      members,
      // Below the volume's own folder, which may contain lost+found.
      dataFolder: `${POD_FOLDERS.etcdData}/data`,
      listenClient: '0.0.0.0:2379',
      listenPeer: '0.0.0.0:2380',
      listenMetrics: `http://0.0.0.0:${ETCD_PORTS.metrics}`,
      listenHttp: `https://0.0.0.0:${ETCD_PORTS.gateway}`,
      advertiseClient: `${advertised}:2379`,
      advertisePeer: `${advertised}:2380`,
      initialState,
      joins: place.regaining?.includes(ordinal) === true ? members : undefined,
      token: id,
      quotaBytes: quotaBytes(spec),
    },
    kine: {
      listen: `0.0.0.0:${ETCD_PORTS.grpc}`,
      file: `${POD_FOLDERS.kineData}/state.db`,
      caFile: `${POD_FOLDERS.pki}/${DATABASE_AUTHORITIES}`,
      // The kubelet replaces it: it changes without a change of the pod.
      mode: `$(${DATA_MODE})`,
    },
    apiServer: {
      bindAddress: '0.0.0.0',
      // The kubelet replaces it with the pod's address.
      advertiseAddress: '$(POD_IP)',
      port: API_PORT,
      url: `https://${service('kube-apiserver')}`,
      endpointReconciler: 'lease',
      // The Service's address exists before the pod of a single member; several members are tried one by one.
      etcdServers:
        sharedEtcdOf(spec)?.endpoints ??
        (served === 1
          ? [`https://${service(storeOf(spec).component)}:2379`]
          : members
              .slice(0, served)
              .map((_, index) => `https://${memberHost({ name, namespace }, index)}:2379`)),
      ...(sharedEtcd === undefined ? {} : { sharedEtcd }),
      shutdownDelaySeconds: (spec.host?.apiServer.replicas ?? 1) > 1 ? SHUTDOWN_DELAY_SECONDS : 0,
    },
    controllerManager: controllerLayout(10_257, spec.host?.controllerManager),
    ...(spec.host?.scheduler === undefined
      ? {}
      : { scheduler: controllerLayout(10_259, spec.host.scheduler) }),
  }
}

function sharedEtcdAccess(place: PodPlace): Layout['apiServer']['sharedEtcd'] {
  const { authorities, certificate, key } = SHARED_ETCD_FILES
  const facts = hostedSharedEtcd(place)
  return (
    facts && {
      caFile: `${POD_FOLDERS.pki}/${authorities}`,
      certificateFile: `${POD_FOLDERS.pki}/${certificate}`,
      keyFile: `${POD_FOLDERS.pki}/${key}`,
      prefix: facts.prefix,
    }
  )
}

function controllerLayout(
  port: number,
  { replicas }: Pick<Workload, 'replicas'> = { replicas: 1 },
): ControllerLayout {
  return { bindAddress: '0.0.0.0', port, leaderElect: replicas > 1 }
}

/** The name of an etcd member and of its pod. */
export function memberName(plane: string, ordinal: number): string {
  return `${objectName(plane, 'etcd')}-${ordinal}`
}

/** The configuration file of a member by its name. */
export function memberFile(member: string): string {
  return `${member}.json`
}

/** Host name of all members of etcd inside of the host cluster. */
export function membersHost({ name, namespace }: { name: string; namespace: string }): string {
  return `${objectName(name, 'etcd-peers')}.${namespace}.svc`
}

/** Host name of an etcd member inside of the host cluster. */
export function memberHost(place: { name: string; namespace: string }, ordinal: number): string {
  return `${memberName(place.name, ordinal)}.${membersHost(place)}`
}

/** The address of an etcd member for the other members. */
export function peerUrlOf(place: { name: string; namespace: string }, ordinal: number): string {
  return `https://${memberHost(place, ordinal)}:2380`
}

function quotaBytes({ host }: PlaneSpec): number {
  const volume = quantityValue(host?.storage.size ?? '') ?? 0
  return Math.min(MAX_QUOTA_BYTES, Math.floor(volume * QUOTA_OF_VOLUME))
}
