import { join } from 'node:path'
import { DEFAULT_KUBERNETES_VERSION } from '../../control-plane/spec/kubernetes-version.ts'
import type { HostPreset } from '../../control-plane/spec/fields/host-spec.ts'
import type { DriverName } from '../../control-plane/spec/driver-name.ts'
import type { Environment } from '../../shared/environment.ts'
import { pathsOf } from '../../shared/paths.ts'
import { parseDuration } from '../../shared/text/duration.ts'
import { SETTING_KEYS, type SettingKey, variableOf } from './setting-keys.ts'
import type { RawSettings } from './settings-schema.ts'
import { readTextFile } from '../../shared/files/read-text-file.ts'

/** Defaults that a user can set for all commands. A flag wins over each of them. */
export interface Settings {
  /** @default kubernetes with a current host context, otherwise local */
  driver?: DriverName | undefined
  version: string
  /** How long commands such as create and resume may take. */
  timeoutMs: number
  /** Host namespace of new planes. @default that of the host context */
  namespace?: string | undefined
  /** Context of the host cluster. @default the current one */
  hostContext?: string | undefined
  /** How many pods a new plane in a host cluster has, and how large. */
  preset?: HostPreset | undefined
  /** StorageClass of the volumes of new planes. @default the default one of the host cluster */
  storageClass?: string | undefined
  /** Registry of the images of new planes. @default registry.k8s.io */
  imageRegistry?: string | undefined
  /** Image with Node.js that runs vplane's own parts in new planes. @default docker.io/library/node:24-alpine */
  helperImage?: string | undefined
  binDir?: string | undefined
  /** Base URL that binaries are downloaded from. */
  mirror?: string | undefined
  /** Never touches the network for binaries. */
  offline: boolean
  /** Whether create connects. @default on a terminal */
  connect?: boolean | undefined
  wait: boolean
}

export type SettingSource = 'environment' | 'file' | 'built-in'

/** The built-in defaults. */
export const BUILT_IN_SETTINGS = {
  version: DEFAULT_KUBERNETES_VERSION,
  timeout: '5m',
  offline: false,
  wait: true,
} as const satisfies RawSettings

/** The config file of this user. */
export function configFileOf(environment: Environment): string {
  return join(pathsOf(environment).config, 'config.yaml')
}

/** Everything that was set, by where it was set; checked. */
export interface SettingLayers {
  environment: RawSettings
  file: RawSettings
}

/** @throws {VplaneError} `INVALID_SPEC` naming file or variable, key and value when something is wrong. */
export async function readSettingLayers(environment: Environment): Promise<SettingLayers> {
  const file = configFileOf(environment)
  const text = readTextFile(file)
  const fromVariables = Object.fromEntries(
    SETTING_KEYS.flatMap((key) => {
      const value = environment[variableOf(key)] ?? ''
      return value === '' ? [] : [[key, value]]
    }),
  )
  if (text === undefined && Object.keys(fromVariables).length === 0) {
    // Most runs: neither the YAML reader nor the schema has to be loaded.
    return { environment: {}, file: {} }
  }
  const { parseSettingsFile, parseVariables } = await import('./parse-settings.ts')
  return {
    environment: parseVariables(fromVariables),
    file: text === undefined ? {} : parseSettingsFile(text, file),
  }
}

/** Variables override the file, which overrides defaults. @throws {VplaneError} `INVALID_SPEC` when one is wrong. */
export async function loadSettings(environment: Environment): Promise<Settings> {
  return toSettings(await readSettingLayers(environment))
}

/** The settings that layers, which are checked, come to. */
export function toSettings(layers: SettingLayers): Settings {
  const { timeout, version, offline, wait, ...others } = { ...layers.file, ...layers.environment }
  return {
    ...others,
    version: version ?? BUILT_IN_SETTINGS.version,
    timeoutMs: parseDuration(timeout ?? BUILT_IN_SETTINGS.timeout),
    offline: offline ?? BUILT_IN_SETTINGS.offline,
    wait: wait ?? BUILT_IN_SETTINGS.wait,
  }
}

/** The variables of a process, with those that adapters read laid in from the config file where they are not set. */
export function withFileSettings(
  environment: Environment,
  { file: { mirror, offline } }: Pick<SettingLayers, 'file'>,
): Environment {
  const fromFile = {
    ...(mirror === undefined ? {} : { [variableOf('mirror')]: mirror }),
    ...(offline === undefined ? {} : { [variableOf('offline')]: offline ? '1' : '0' }),
  }
  const isSet = ([, value]: [string, string | undefined]) => value !== undefined && value !== ''
  return {
    ...environment,
    ...fromFile,
    ...Object.fromEntries(Object.entries(environment).filter(isSet)),
  }
}

export interface SettingEntry {
  key: SettingKey
  /** Null when nothing sets it. */
  value: string | boolean | null
  /** Null when nothing sets it. */
  source: SettingSource | null
  variable?: string
}

/** All settings as they apply. @throws {VplaneError} `INVALID_SPEC` when one of them is wrong. */
export async function listSettings(environment: Environment): Promise<SettingEntry[]> {
  const layers = await readSettingLayers(environment)
  const builtIn: Partial<Record<SettingKey, string | boolean>> = BUILT_IN_SETTINGS
  return SETTING_KEYS.map((key) => {
    const [fromVariable, fromFile] = [layers.environment[key], layers.file[key]]
    if (fromVariable !== undefined) {
      return { key, value: fromVariable, source: 'environment', variable: variableOf(key) }
    }
    if (fromFile !== undefined) {
      return { key, value: fromFile, source: 'file' }
    }
    const value = builtIn[key]
    return { key, value: value ?? null, source: value === undefined ? null : 'built-in' }
  })
}
