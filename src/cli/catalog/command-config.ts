import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '@oclif/core/config'
import { packageRoot } from '../../shared/package-root.ts'

/** The framework's configuration without plugins, hooks, themes and search, which take as long to load as all else. */
export function createConfig(bin: string): Config {
  const root = packageRoot()
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const config = new BareConfig({ root, pjson })
  return Object.assign(config, {
    root,
    pjson,
    bin,
    name: pjson.name,
    version: pjson.version,
    userAgent: `${pjson.name}/${pjson.version}`,
    topicSeparator: ' ',
  })
}

class BareConfig extends Config {
  override runHook(): Promise<{ successes: []; failures: [] }> {
    return Promise.resolve({ successes: [], failures: [] })
  }
}
