import data from './generated/data-document.json';
import platform from './generated/document.json';
import internal from './generated/internal-document.json';

/** A parameter as the generated documents hold it. */
interface DocumentParameter {
  in: string;
  name: string;
  required?: boolean;
}

interface JsonHolder {
  content?: Readonly<Record<string, { schema: object }>>;
}

interface DocumentOperation {
  operationId: string;
  parameters?: readonly DocumentParameter[];
  requestBody?: JsonHolder;
  responses: Readonly<Record<string, JsonHolder>>;
}

/** An OpenAPI document of the platform: self-contained, without vendor extensions. */
export interface ContractDocument {
  openapi: string;
  info: Readonly<Record<string, unknown>>;
  servers?: readonly Readonly<{ url: string }>[];
  tags?: readonly Readonly<{ name: string; description?: string }>[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The document that clients read: OpenAPI 3.1, references to schemas and security schemes only. */
export const publicDocument: ContractDocument = platform as object as ContractDocument;

/** The operations that the bus alone carries. */
export const internalDocument: ContractDocument = internal as object as ContractDocument;

/** What is served below the address of each deployment. Its paths are relative to that address. */
export const dataDocument: ContractDocument = data as object as ContractDocument;
