import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reportMarkdown, type Report } from './markdown.js';

/** A folder with the report of each run in a file of its own, and nothing else of it. */
export interface ReportFolder {
  /** Writes or replaces the report of its run: whoever reads sees the whole old one or the whole new one. */
  publish(report: Report): Promise<void>;
  /** Where the publisher stopped; null when it never ran. */
  position(): Promise<string | null>;
  keepPosition(position: string): Promise<void>;
}

const POSITION_FILE = '.position';

export async function openReportFolder(folder: string): Promise<ReportFolder> {
  await mkdir(folder, { recursive: true });
  return {
    publish: (report) => writeWhole(folder, `${fileNameOf(report.runId)}.md`, reportMarkdown(report)),
    async position() {
      try {
        return (await readFile(join(folder, POSITION_FILE), 'utf8')).trim();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    keepPosition: (position) => writeWhole(folder, POSITION_FILE, `${position}\n`),
  };
}

/** A run_id has no slash and begins with a letter or digit; `:` is no part of a file's name everywhere. */
export function fileNameOf(runId: string): string {
  return runId.replace(/[^A-Za-z0-9._=@+-]/g, (character) => encodeURIComponent(character));
}

/** To a file beside it first, onto the disk, and then under its name: never half of it. */
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
