import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from './environment.ts'

/** The folders of vplane on this machine, all absolute. */
export interface Paths {
  config: string
  /** Planes, credentials and the credential launcher, which must not be lost. */
  data: string
  /** Binaries and build caches, which vplane can create again. */
  cache: string
}

/** The folders by XDG base directory 0.8, which ignores relative values; all are below `VPLANE_HOME` if that is set. */
export function pathsOf(environment: Environment, home: string = homedir()): Paths {
  const own = environment['VPLANE_HOME']
  if (own !== undefined && own !== '') {
    const root = isAbsolute(own) ? own : join(process.cwd(), own)
    return { config: join(root, 'config'), data: join(root, 'data'), cache: join(root, 'cache') }
  }
  const base = (name: string, fallback: string) => {
    const value = environment[name]
    return join(value !== undefined && isAbsolute(value) ? value : join(home, fallback), 'vplane')
  }
  return {
    config: base('XDG_CONFIG_HOME', '.config'),
    data: base('XDG_DATA_HOME', '.local/share'),
    cache: base('XDG_CACHE_HOME', '.cache'),
  }
}
