import {
  type PeerAddress,
  startSettings,
} from '../../../../control-plane/components/arguments/etcd-start-settings.ts'
import type { Joining, ObservedEtcd } from '../../../../etcd/planner/observed-etcd.ts'
import type { KubeClient } from '../../../../kube/client/client.ts'
import { recordAt, type Json } from '../../../../shared/json-fields.ts'
import { VplaneError } from '../../../../shared/errors.ts'

type Files = Record<string, string>

/** The annotation of the ConfigMap with the uid of the pod whose data a member that joins replaces. */
const FORMER_ANNOTATION = 'vplane.dev/former-data'

/** The configuration files of etcd's members. They define how a member without data starts. */
export interface MemberFiles {
  read(signal: AbortSignal): Promise<PublishedFiles>
  /** Lets only `joining`, or no member, start without data. @throws {VplaneError} `CONFLICT` after another change. */
  publish(
    joining: Joining | undefined,
    options: { resourceVersion: string; signal: AbortSignal },
  ): Promise<void>
}

interface PublishedFiles extends Pick<ObservedEtcd, 'joining'> {
  /** How many members they are for; during a scaling, how many etcd has at the moment. */
  count: number
  resourceVersion: string
}

export interface MemberFilesOptions {
  path: string
  nameOf: (ordinal: number) => string
}

/** The files in a ConfigMap of the host. */
export function memberFiles(
  host: Pick<KubeClient, 'get' | 'apply'>,
  { nameOf, path }: MemberFilesOptions,
): MemberFiles {
  const read = async (signal: AbortSignal) => {
    const map = await host.get(path, { signal })
    const data = recordAt(map, 'data')
    if (map === undefined || data === undefined) {
      throw new VplaneError('NOT_FOUND', `the ConfigMap of etcd's members does not exist`)
    }
    const entries = Object.entries(data).map(([name, text]) => [name, String(text)] as const)
    return { map, files: Object.fromEntries(entries) }
  }
  return {
    async read(signal) {
      const { files, map } = await read(signal)
      const { annotations = {}, resourceVersion = '' } = map.metadata
      const joining = joiningIn(files, nameOf)
      const formerUid = annotations[FORMER_ANNOTATION]
      return {
        count: Object.keys(files).length,
        resourceVersion,
        joining: typeof joining === 'object' ? { ...joining, formerUid } : joining,
      }
    },
    async publish(joining, { resourceVersion, signal }) {
      const { files, map } = await read(signal)
      const data = withStart(files, {
        joining: joining && nameOf(joining.ordinal),
        peers: joining?.peers.map(nameOf) ?? [],
      })
      const { apiVersion, kind, metadata } = map
      const { [FORMER_ANNOTATION]: _former, ...others } = metadata.annotations ?? {}
      const { formerUid } = joining ?? {}
      const former = formerUid === undefined ? {} : { [FORMER_ANNOTATION]: formerUid }
      const annotations = { ...others, ...former }
      // With vplane's field manager and without the host's own fields, so that later changes of the plane own them.
      const { labels = {}, name = '', namespace = '' } = metadata
      const own = { name, namespace, labels, annotations, resourceVersion }
      await host.apply(path, { apiVersion, kind, metadata: own, data }, { signal })
    },
  }
}

function joiningIn(files: Files, nameOf: (ordinal: number) => string): ObservedEtcd['joining'] {
  const settings = Object.values(files).map(settingsIn)
  if (settings.some((one) => one['initial-cluster-state'] === 'new')) {
    return 'all'
  }
  const names = settings.map(({ name }) => String(name))
  const ordinals = names.map((_, ordinal) => ordinal)
  const peersIn = (one: Json) =>
    ordinals.filter((ordinal) => String(one['initial-cluster']).includes(`${nameOf(ordinal)}=`))
  const joining = settings.find((one) => peersIn(one).length > 1)
  const ordinal = ordinals.find((one) => nameOf(one) === joining?.['name'])
  return joining === undefined || ordinal === undefined
    ? undefined
    : { ordinal, peers: peersIn(joining) }
}

/** Returns the files with other settings for the start of members, and nothing else changed. */
function withStart(
  files: Files,
  { joining, peers }: { joining: string | undefined; peers: readonly string[] },
): Files {
  const members = Object.values(files).map(addressIn)
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const own = addressIn(text)
      const known =
        own.name === joining ? members.filter(({ name }) => peers.includes(name)) : [own]
      const settings = { ...settingsIn(text), ...startSettings('existing', known) }
      return [file, `${JSON.stringify(settings, null, 2)}\n`]
    }),
  )
}

function addressIn(text: string): PeerAddress {
  const settings = settingsIn(text)
  const url = String(settings['initial-advertise-peer-urls'])
  return { name: String(settings['name']), advertisePeer: url.replace(/^https:\/\//, '') }
}

function settingsIn(text: string): Json {
  return recordAt(JSON.parse(text)) ?? {}
}
