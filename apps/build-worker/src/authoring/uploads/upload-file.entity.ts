import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file that an open upload has received. */
@Entity('upload_file')
export class UploadFile {
  @PrimaryColumn('text')
  uploadId!: string;

  @PrimaryColumn('text')
  path!: string;

  @Column('bigint')
  tenantId!: number;

  /** Git's id of the content. */
  @Column('text')
  oid!: string;

  /** SHA-1 of the raw content, as the client names it. */
  @Column('text')
  contentHash!: string;

  /** Bytes. */
  @Column('bigint')
  size!: number;
}
