import type { Driver } from '../../control-plane/driver/driver.ts'
import type { Tunnels } from '../../tunnel/tunnels.ts'
import { hostDriver, type HostDriverOptions } from './host-driver.ts'
import { type HostSource, hostSource, type HostSourceOptions } from './host-source.ts'
import { lazyDatabases } from './lazy-databases.ts'

/** Another host cluster than that of the command. */
export interface OtherHost {
  driver: Driver
  namespace: () => Promise<string>
}

export interface OtherHosts extends AsyncDisposable {
  /** Reads and opens the host cluster of a context when it is needed. */
  of(context: string): OtherHost
}

export interface OtherHostsOptions extends Omit<HostSourceOptions, 'context'> {
  tunnels: Tunnels
  now: () => Date
}

/** Opens host clusters by their contexts, and closes them when it is disposed. */
export function otherHosts({ now, tunnels, ...options }: OtherHostsOptions): OtherHosts {
  const opened: HostSource[] = []
  return {
    of: (context) => {
      const source = hostSource({ ...options, context })
      opened.push(source)
      const driver = driverOf(source, { tunnels, now })
      return { driver, namespace: () => source.namespace() }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((source) => source[Symbol.asyncDispose]()))
    },
  }
}

/** The driver of planes in a host cluster, which is loaded and opened when it is needed. */
export function driverOf(
  source: HostSource,
  context: Pick<OtherHostsOptions, 'now' | 'tunnels'>,
  hasHost: HostDriverOptions['hasHost'] = () => Promise.resolve(true),
): Driver {
  const load = async () => {
    const { kubernetesDriver } = await import('./kubernetes-driver.ts')
    return kubernetesDriver({ host: () => source.open(), databases: lazyDatabases, ...context })
  }
  return hostDriver({ hasHost, load })
}
