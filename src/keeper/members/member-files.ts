import {
  type PeerAddress,
  startSettings,
} from '../../control-plane/components/arguments/etcd-start-settings.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { recordAt, type Json } from '../../shared/json-fields.ts'
import { VplaneError } from '../../shared/errors.ts'

type Files = Record<string, string>

/** The configuration files of etcd's members, which say how each begins that has no data. */
export interface MemberFiles {
  /** How many members they are for; while etcd gets another number of them, that is what it has at the moment. */
  count(signal: AbortSignal): Promise<number>
  /** Whether they say that one member, or none, takes the data of the others, and that no other begins without data. */
  say(joining: Joining | undefined, signal: AbortSignal): Promise<boolean>
  /**
   * Makes them say so.
   *
   * @throws {VplaneError} `CONFLICT` when somebody else has just changed them.
   */
  tell(joining: Joining | undefined, signal: AbortSignal): Promise<void>
}

/** A member that takes the data of others. */
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
      throw new VplaneError('NOT_FOUND', `the ConfigMap of etcd's members is gone`)
    }
    const entries = Object.entries(data).map(([name, text]) => [name, String(text)] as const)
    return { map, files: Object.fromEntries(entries) }
  }
  return {
    count: async (signal) => Object.keys((await read(signal)).files).length,
    async say(joining, signal) {
      const { files } = await read(signal)
      return isSame(files, withStart(files, joining))
    },
    async tell(joining, signal) {
      const { files, map } = await read(signal)
      const told = withStart(files, joining)
      if (isSame(files, told)) {
        return
      }
      // Without what the host keeps of it, and by vplane's name: who changes the plane later finds nobody else's fields.
      const { apiVersion, kind, metadata } = map
      const kept = ['name', 'namespace', 'labels', 'annotations', 'resourceVersion']
      const own = Object.entries(metadata).filter(([field]) => kept.includes(field))
      const applied = { apiVersion, kind, metadata: Object.fromEntries(own), data: told }
      await host.apply(path, applied, { signal })
    },
  }
}

/** The same files with other words about the start of members, and all else as it was. */
function withStart(files: Files, joining: Joining | undefined): Files {
  const members = Object.values(files).map(addressIn)
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => {
      const own = addressIn(text)
      const told =
        own.name === joining?.name
          ? members.filter(({ name }) => !joining.absent.includes(name))
          : [own]
      const settings = { ...settingsIn(text), ...startSettings('existing', told) }
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
