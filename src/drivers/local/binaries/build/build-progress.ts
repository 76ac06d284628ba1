import type { Ui } from '../../../../shared/ui.ts'

/** What `go list` prints for a package that must be compiled; nothing for those whose result is in the build cache. */
export const STALE_PACKAGE_FORMAT =
  '{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}{{.ImportPath}}{{end}}'

/** Shows how far Go is from the lines it prints: modules that it downloads, packages that it starts to compile. */
export function createBuildProgress(ui: Ui, packages: ReadonlySet<string>): (line: string) => void {
  const done = new Set<string>()
  return (line) => {
    const [, module] = /^go: downloading (\S+)/.exec(line) ?? []
    if (module !== undefined) {
      ui.progress(`fetching ${module}`)
    } else if (packages.has(line) && !done.has(line)) {
      done.add(line)
      ui.progress(
        done.size === packages.size ? 'linking' : `${done.size} of ${packages.size} packages`,
      )
    }
  }
}
