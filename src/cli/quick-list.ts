const WORDS = ['list', 'ls']

/**
 * `list` without any flag but `--json`, without the framework, which takes longer to load than to look at fifty planes.
 *
 * @param bin how the user called vplane
 * @returns false when nothing was said, because there is more to it: another flag, a mistake, an error. The framework
 * takes it from there.
 */
export async function quickList(argv: readonly string[], bin: string): Promise<boolean> {
  const [word = '', ...flags] = argv
  if (!WORDS.includes(word) || flags.some((flag) => flag !== '--json')) {
    return false
  }
  const { printPlanes } = await import('./quick-ways.ts')
  return printPlanes({ bin, isJson: flags.length > 0 })
}
