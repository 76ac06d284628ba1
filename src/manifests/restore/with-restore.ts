import { restoreArguments } from '../../control-plane/components/arguments/restore-arguments.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { Manifest } from '../manifest.ts'
import { type PodPlace, podLayout } from '../pod-layout.ts'
import {
  PLACE_SCRIPT,
  PLACER,
  RECEIVE_SCRIPT,
  RECEIVER,
  type RestoreEnvironment,
} from './restore-scripts.ts'
import { recordAt, recordsAt, type Json, arrayAt } from '../../shared/json-fields.ts'

export interface PodRestore {
  /** The snapshot, hexadecimal. */
  sha256: string
  sizeBytes: number
  /** Folder in the volume for the data that the plane has now: `etcd-before-20260102T030405`. */
  former: string
  /** By how much revisions are raised. */
  bump: number
  /** An image with Node.js. */
  helperImage: string
}

type VolumeMount = { name?: unknown; mountPath?: unknown }

interface Container {
  name?: unknown
  image?: unknown
  imagePullPolicy?: unknown
  resources?: unknown
  securityContext?: unknown
  volumeMounts?: VolumeMount[]
}

const FOLDER = '/var/lib/vplane-restore'

/**
 * The StatefulSet of etcd whose pods make their data of a snapshot before they start: the helper image takes it through a
 * port-forward, etcdutl of the etcd image makes data of it, and the helper puts that in place. It is done where the data is
 * to be, by the pod itself: so it is the same for volumes of the network, of a node, and in memory, and for every member.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a template of the user has no container "etcd" with a volume "data".
 */
export function withRestore(
  statefulSet: Manifest,
  place: PodPlace,
  { bump, former, helperImage, sha256, sizeBytes }: PodRestore,
): Manifest {
  // How many there are is said when they are to come.
  const { replicas: _count, template, ...spec } = recordAt(statefulSet, 'spec') ?? {}
  const { spec: _podSpec, ...pod } = recordAt(template) ?? {}
  const { containers, initContainers, volumes, ...rest } = podSpecOf(statefulSet)
  const { etcd, volume } = containerOfEtcd(statefulSet)
  const file = `${FOLDER}/snapshot.db`
  const root = String(volume.mountPath)
  const environment: RestoreEnvironment = {
    VPLANE_VOLUME: root,
    VPLANE_SNAPSHOT: file,
    VPLANE_SHA256: sha256,
    VPLANE_BYTES: String(sizeBytes),
    VPLANE_FORMER: former,
  }
  const common = {
    imagePullPolicy: etcd.imagePullPolicy,
    resources: etcd.resources,
    securityContext: etcd.securityContext,
    volumeMounts: [volume, { name: 'restore', mountPath: FOLDER }],
  }
  const node = (name: string, script: string) => ({
    name,
    image: helperImage,
    command: ['node', '-e', script],
    env: Object.entries(environment).map(([key, value]) => ({ name: key, value })),
    ...common,
  })
  const make = {
    name: 'make-data',
    image: etcd.image,
    command: ['etcdutl'],
    args: restoreArguments({
      etcd: memberOf(place),
      file,
      dataFolder: `${root}/restored`,
      bump,
      token: `${former}-${sha256.slice(0, 16)}`,
    }),
    env: [
      {
        name: 'POD_NAME',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
      },
    ],
    ...common,
  }
  return {
    ...statefulSet,
    spec: {
      ...spec,
      template: {
        ...pod,
        spec: {
          ...rest,
          containers,
          initContainers: [
            ...arrayAt(initContainers),
            node(RECEIVER, RECEIVE_SCRIPT),
            make,
            node(PLACER, PLACE_SCRIPT),
          ],
          volumes: [...arrayAt(volumes), { name: 'restore', emptyDir: {} }],
        },
      },
    },
  }
}

/**
 * The container of etcd in the pods of its StatefulSet, and where it mounts its data.
 *
 * @throws {VplaneError} `INVALID_SPEC` when a template of the user has no container "etcd" with a volume "data".
 */
export function containerOfEtcd(statefulSet: Manifest): { etcd: Container; volume: VolumeMount } {
  const containers: Container[] = recordsAt(podSpecOf(statefulSet), 'containers')
  const etcd = containers.find(({ name }) => name === 'etcd')
  const volume = etcd?.volumeMounts?.find(({ name }) => name === 'data')
  if (etcd === undefined || volume === undefined) {
    throw new VplaneError(
      'INVALID_SPEC',
      'the template of the StatefulSet of etcd has no container "etcd" with a volume "data"',
    )
  }
  return { etcd, volume }
}

/** What the pods of a workload are made by. */
export function podSpecOf(workload: Manifest): Json {
  return recordAt(workload, 'spec', 'template', 'spec') ?? {}
}

/** A member as its pod says who it is: the kubelet puts the pod's name in. */
function memberOf(place: PodPlace) {
  const { advertisePeer, members, name } = podLayout(place).etcd
  return {
    name: '$(POD_NAME)',
    advertisePeer: advertisePeer.replace(name, '$(POD_NAME)'),
    ...(members === undefined ? {} : { members }),
  }
}
