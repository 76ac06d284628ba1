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
  sha256: string
  sizeBytes: number
  /** Folder in the volume for the plane's current data: `etcd-before-20260102T030405`. */
  former: string
  /** The number that is added to revisions. */
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

/** Where containers that restore data find a volume of their own. */
export const RESTORE_FOLDER = '/var/lib/vplane-restore'

/**
 * The StatefulSet of etcd whose pods restore a snapshot before they start: the helper image receives it through a
 * port-forward, etcdutl of the etcd image creates data from it, and the helper image replaces the old data. Each pod
 * does this on its own volume, so it works for volumes of a network, of a node and in memory, and for every member.
 * @throws {VplaneError} `INVALID_SPEC` as `containerOfStore` does.
 */
export function withRestore(
  statefulSet: Manifest,
  place: PodPlace,
  { bump, former, helperImage, sha256, sizeBytes }: PodRestore,
): Manifest {
  const { container: etcd, volume } = containerOfStore(statefulSet, 'etcd')
  const file = `${RESTORE_FOLDER}/snapshot.db`
  const root = String(volume.mountPath)
  const environment: RestoreEnvironment = {
    VPLANE_VOLUME: root,
    VPLANE_SNAPSHOT: file,
    VPLANE_SHA256: sha256,
    VPLANE_BYTES: String(sizeBytes),
    VPLANE_FORMER: former,
    // Members whose data has other revisions would be one etcd, as it knows them only by their token.
    VPLANE_ATTEMPT: `${former} ${sha256} ${bump}`,
  }
  const common = commonOf({ container: etcd, volume })
  const node = (name: string, script: string) =>
    scripted(name, { script, helperImage, environment, common })
  const restorer = {
    name: 'make-data',
    image: etcd.image,
    command: ['etcdutl'],
    args: restoreArguments({
      etcd: memberOf(place),
      file,
      dataFolder: `${root}/restored`,
      bump,
      token: `${former}-${sha256.slice(0, 16)}-${bump}`,
    }),
    env: [
      {
        name: 'POD_NAME',
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
      },
    ],
    ...common,
  }
  return withInitContainers(statefulSet, [
    node(RECEIVER, RECEIVE_SCRIPT),
    restorer,
    node(PLACER, PLACE_SCRIPT),
  ])
}

/** What containers that work on the data of a store have in common with its own container. */
export function commonOf({ container, volume }: ReturnType<typeof containerOfStore>) {
  return {
    imagePullPolicy: container.imagePullPolicy,
    resources: container.resources,
    securityContext: container.securityContext,
    volumeMounts: [volume, { name: 'restore', mountPath: RESTORE_FOLDER }],
  }
}

interface ScriptedOptions {
  /** JavaScript. */
  script: string
  helperImage: string
  environment: object
  common: ReturnType<typeof commonOf>
}

/** A container that runs JavaScript. */
export function scripted(
  name: string,
  { common, environment, helperImage, script }: ScriptedOptions,
): Json {
  return {
    name,
    image: helperImage,
    command: ['node', '-e', script],
    env: Object.entries(environment).map(([key, value]) => ({ name: key, value: String(value) })),
    ...common,
  }
}

/** A StatefulSet whose pods run these containers before they start. Its replicas are set when the pods are started. */
export function withInitContainers(statefulSet: Manifest, added: readonly object[]): Manifest {
  const { replicas: _count, template, ...spec } = recordAt(statefulSet, 'spec') ?? {}
  const { spec: _podSpec, ...pod } = recordAt(template) ?? {}
  const { containers, initContainers, volumes, ...rest } = podSpecOf(statefulSet)
  return {
    ...statefulSet,
    spec: {
      ...spec,
      template: {
        ...pod,
        spec: {
          ...rest,
          containers,
          initContainers: [...arrayAt(initContainers), ...added],
          volumes: [...arrayAt(volumes), { name: 'restore', emptyDir: {} }],
        },
      },
    },
  }
}

/**
 * Finds the container of a store and the mount of its data.
 * @throws {VplaneError} `INVALID_SPEC` when a template of the user has no such container with a volume "data".
 */
export function containerOfStore(
  statefulSet: Manifest,
  component: 'etcd' | 'kine',
): { container: Container; volume: VolumeMount } {
  const containers: Container[] = recordsAt(podSpecOf(statefulSet), 'containers')
  const container = containers.find(({ name }) => name === component)
  const volume = container?.volumeMounts?.find(({ name }) => name === 'data')
  if (container === undefined || volume === undefined) {
    const message = `the template of the StatefulSet of ${component} has no container "${component}" with a volume "data"`
    throw new VplaneError('INVALID_SPEC', message)
  }
  return { container, volume }
}

/** The spec of a workload's pods. */
export function podSpecOf(workload: Manifest): Json {
  return recordAt(workload, 'spec', 'template', 'spec') ?? {}
}

/** A member with the name of its pod, which the kubelet inserts. */
function memberOf(place: PodPlace) {
  const { advertisePeer, members, name } = podLayout(place).etcd
  return {
    name: '$(POD_NAME)',
    advertisePeer: advertisePeer.replace(name, '$(POD_NAME)'),
    ...(members === undefined ? {} : { members }),
  }
}
