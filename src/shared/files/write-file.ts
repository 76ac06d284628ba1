export interface WriteFileOptions {
  /** Permission bits. @default 0o600 */
  mode?: number
}

/** Replaces a file in one step: readers see the old text or the new one, never a part. Symbolic links stay. */
export async function writeFile(
  path: string,
  data: string | Buffer,
  { mode = 0o600 }: WriteFileOptions = {},
): Promise<void> {
  // Loaded when it is needed: it brings threads along, and most short commands write nothing.
  const { default: writeFileAtomic } = await import('write-file-atomic')
  await writeFileAtomic(path, data, { mode })
}
