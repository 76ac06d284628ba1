import { VplaneError } from '../../../../shared/errors.ts'

/** The platform of binaries, with the names that Go and the download servers use. */
export interface Platform {
  os: 'linux' | 'darwin'
  arch: 'amd64' | 'arm64'
}

const SYSTEMS: Record<string, Platform['os']> = { linux: 'linux', darwin: 'darwin' }
const ARCHITECTURES: Record<string, Platform['arch']> = { x64: 'amd64', arm64: 'arm64' }

/** @throws {VplaneError} `UNSUPPORTED` when planes cannot run as processes on this machine. */
export function platformOf(
  system: string = process.platform,
  architecture: string = process.arch,
): Platform {
  const os = SYSTEMS[system]
  const arch = ARCHITECTURES[architecture]
  if (os === undefined) {
    throw new VplaneError('UNSUPPORTED', `local control planes do not run on "${system}"`, {
      hints: system === 'win32' ? ['run vplane inside WSL 2: wsl --install'] : [],
    })
  }
  if (arch === undefined) {
    throw new VplaneError('UNSUPPORTED', `there are no binaries for "${architecture}" processors`)
  }
  return { os, arch }
}

/** `linux-amd64` */
export function formatPlatform({ os, arch }: Platform): string {
  return `${os}-${arch}`
}

/** Parses `linux-amd64`; undefined for another text. */
export function parsePlatform(text: string): Platform | undefined {
  const [system = '', architecture = '', ...rest] = text.split('-')
  const os = Object.values(SYSTEMS).find((known) => known === system)
  const arch = Object.values(ARCHITECTURES).find((known) => known === architecture)
  return os === undefined || arch === undefined || rest.length > 0 ? undefined : { os, arch }
}
