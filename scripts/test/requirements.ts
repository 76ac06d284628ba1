import { spawnSync } from 'node:child_process'

/** Whether vplane runs on this version of Node: `engines` in package.json in code. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return (major === 24 && minor >= 15) || major >= 26
}

/** Programs that tests use beside Node, npm, git and Go, and the Debian packages that have them. */
const TOOLS = { openssl: 'openssl' }

/** Installs the programs that tests use and this machine lacks, where that is possible without asking. */
export function installMissingTools(): void {
  const missing = Object.entries(TOOLS).filter(([program]) => !isInstalled(program))
  for (const [program, debianPackage] of missing) {
    const isPossible = process.getuid?.() === 0 && isInstalled('apt-get')
    console.error(
      isPossible
        ? `"${program}" is missing: installing the Debian package "${debianPackage}"`
        : `"${program}" is missing, and tests that need it will fail: install "${debianPackage}"`,
    )
    if (isPossible) {
      spawnSync('apt-get', ['update'], { stdio: 'ignore' })
      const install = ['install', '--yes', '--no-install-recommends', debianPackage]
      spawnSync('apt-get', install, { stdio: 'ignore' })
    }
  }
}

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v "${program}"`], { stdio: 'ignore' }).status === 0
}
