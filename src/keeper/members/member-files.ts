import {
  type PeerAddress,
  startSettings,
} from '../../control-plane/components/arguments/etcd-start-settings.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { recordAt, type Json } from '../../shared/json-fields.ts'
import { VplaneError } from '../../shared/errors.ts'

type Files = Record<string, string>

/** The configuration files of etcd's members. They define how a member without data starts. */
export interface MemberFiles {
  /** How many members they are for; during a scaling, how many etcd has at the moment. */
  count(signal: AbortSignal): Promise<number>
  /** Whether only `joining`, or no member, may start without data and copy that of the others. */
  allow(joining: Joining | undefined, signal: AbortSignal): Promise<boolean>
  /**
   * Writes the files so that `allow` returns true.
   *
   * @throws {VplaneError} `CONFLICT` when someone else has just changed them.
   */
  publish(joining: Joining | undefined, signal: AbortSignal): Promise<void>
}

/** A member that copies the data of the others. */
export interface Joining {
  name: string
  /** Names of the members that etcd does not have now. */
  absent: readonly string[]
}

/** The files in the ConfigMap of a path. */
export function memberFiles(host: Pick<KubeClient, 'get' | 'apply'>, path: string): MemberFiles {
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
    count: async (signal) => Object.keys((await read(signal)).files).length,
    async allow(joining, signal) {
      const { files } = await read(signal)
      return isSame(files, withStart(files, joining))
    },
    async publish(joining, signal) {
      const { files, map } = await read(signal)
      const data = withStart(files, joining)
      if (isSame(files, data)) {
        return
      }
      // With vplane's field manager and without the host's own fields, so that later changes of the plane own them.
      const { apiVersion, kind, metadata } = map
      const applied = ['name', 'namespace', 'labels', 'annotations', 'resourceVersion']
      const own = Object.entries(metadata).filter(([field]) => applied.includes(field))
      const object = { apiVersion, kind, metadata: Object.fromEntries(own), data }
      await host.apply(path, object, { signal })
    },
  }
}

/** Returns the files with other settings for the start of members, and nothing else changed. */
function withStart(files: Files, joining: Joining | undefined): Files {
  const members = Object.values(files).map(addressIn)
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const own = addressIn(text)
      const known =
        own.name === joining?.name
          ? members.filter(({ name }) => !joining.absent.includes(name))
          : [own]
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

function isSame(one: Files, other: Files): boolean {
  return Object.entries(one).every(([name, text]) => other[name] === text)
}
