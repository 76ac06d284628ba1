import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { Environment } from './environment.ts'

/** The folders of vplane on this machine, all absolute. */
export interface Paths {
  config: string
  /** Planes, credentials and the credential launcher, which must not be lost. */
  data: string
  /** Binaries and build caches, which vplane can create again. */
  cache: string
}

/** The variables that decide where the folders are when VPLANE_HOME does not. */
const XDG_VARIABLES = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME']

/** All variables that decide where the folders are. */
export const FOLDER_VARIABLES = ['VPLANE_HOME', ...XDG_VARIABLES]

/**
 * The folders by XDG base directory 0.8, which ignores relative values; all are below `VPLANE_HOME` if that is set, which
 * `processEnvironment` makes absolute.
 */
export function pathsOf(environment: Environment, home: string = homedir()): Paths {
  const own = environment['VPLANE_HOME']
  if (own !== undefined && own !== '') {
    return { config: join(own, 'config'), data: join(own, 'data'), cache: join(own, 'cache') }
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

/** Those of `FOLDER_VARIABLES` by which another process, with none of the others, finds the same folders. */
export function folderVariables(environment: Environment, paths: Paths): Record<string, string> {
  if (environment['VPLANE_HOME']) {
    return { VPLANE_HOME: dirname(paths.data) }
  }
  return Object.fromEntries(
    XDG_VARIABLES.flatMap((name) => {
      const value = environment[name] ?? ''
      return isAbsolute(value) ? [[name, value]] : []
    }),
  )
}
