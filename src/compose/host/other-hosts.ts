import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Tunnels } from '../../tunnel/tunnels.ts'
import { hostDriver } from './host-driver.ts'
import { type HostSource, hostSource, type HostSourceOptions } from './host-source.ts'

/** A host cluster beside the one that a command is about. */
export interface OtherHost {
  driver: Driver
  /** Where planes go there that name no namespace. */
  namespace: () => Promise<string>
}

export interface OtherHosts extends AsyncDisposable {
  /** The host cluster of a context; nothing is read or opened before it is needed. */
  of(context: string): OtherHost
}

export interface OtherHostsOptions extends Omit<HostSourceOptions, 'context'> {
  tunnels: Tunnels
  now: () => Date
}

/** Host clusters by their contexts. Disposing them closes what was opened. */
export function otherHosts({ now, tunnels, ...options }: OtherHostsOptions): OtherHosts {
  const opened: HostSource[] = []
  return {
    of: (context) => {
      const source = hostSource({ ...options, context })
      opened.push(source)
      const load = async () => {
        const { kubernetesDriver } = await import('./kubernetes-driver.ts')
        return kubernetesDriver({ host: () => source.open(), tunnels, now })
      }
      return {
        driver: hostDriver({ hasHost: () => Promise.resolve(true), load }),
        namespace: () => source.namespace(),
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((source) => source[Symbol.asyncDispose]()))
    },
  }
}
